/** A gateway in the place of an Ollama server: its clients get what they got before. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ollama } from 'ollama'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import type { GatewayOptions } from '../../src/gateway/gateway.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { type OllamaServer, startOllamaServer } from '../support/ollama-server.ts'

const MODELS = ['llama3:latest', 'nomic:latest']
const LOCAL: GatewayOptions = { localOnly: true }

interface Asked {
  readonly method?: string
  readonly path: string
  readonly body?: object | Buffer
  readonly headers?: Record<string, string>
}

interface Said {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

async function ask(
  url: string,
  { method = 'POST', path, body, headers = {} }: Asked,
): Promise<Said> {
  const sent = Buffer.isBuffer(body) ? new Uint8Array(body) : body && JSON.stringify(body)
  const response = await fetch(url + path, { method, headers, ...(sent && { body: sent }) })
  const type = response.headers.get('content-type')
  return { status: response.status, type, text: await response.text() }
}

function configFor(server: OllamaServer, more: GatewayConfig = {}): GatewayConfig {
  return { providers: { ollama: { baseUrl: server.url, models: MODELS } }, ...more }
}

const FILE = randomBytes(300_000)
const DIGEST = `sha256:${createHash('sha256').update(FILE).digest('hex')}`

/** In this order, because the servers remember. */
const REQUESTS: readonly (readonly [name: string, asked: Asked])[] = [
  ['the server itself', { method: 'GET', path: '/', headers: { accept: '*/*' } }],
  ['whether it is there', { method: 'HEAD', path: '/' }],
  ['what is loaded', { method: 'GET', path: '/api/ps' }],
  ['loading by generate', { path: '/api/generate', body: { model: 'llama3:latest' } }],
  ['loading by chat', { path: '/api/chat', body: { model: 'nomic:latest', messages: [] } }],
  ['what is loaded then', { method: 'GET', path: '/api/ps' }],
  [
    'unloading as Open WebUI does',
    { path: '/api/generate', body: { model: 'llama3:latest', keep_alive: 0, prompt: '' } },
  ],
  [
    'unloading by chat',
    { path: '/api/chat', body: { model: 'nomic:latest', messages: [], keep_alive: 0 } },
  ],
  [
    'generate, whole, with a context',
    { path: '/api/generate', body: { model: 'llama3:latest', prompt: 'Hi', stream: false } },
  ],
  ['generate, streamed', { path: '/api/generate', body: { model: 'llama3:latest', prompt: 'Hi' } }],
  [
    'filling in',
    {
      path: '/api/generate',
      body: { model: 'llama3:latest', prompt: 'def a(', suffix: 'return 1' },
    },
  ],
  [
    'a raw prompt',
    {
      path: '/api/generate',
      body: { model: 'llama3:latest', prompt: '<s>', raw: true, stream: false },
    },
  ],
  [
    'chat',
    {
      path: '/api/chat',
      body: { model: 'llama3:latest', messages: [{ role: 'user', content: 'Hi' }], stream: false },
    },
  ],
  ['embed one', { path: '/api/embed', body: { model: 'nomic:latest', input: 'why?' } }],
  [
    'embed several, shorter',
    { path: '/api/embed', body: { model: 'nomic:latest', input: ['a', 'b'], dimensions: 2 } },
  ],
  ['embeddings', { path: '/api/embeddings', body: { model: 'nomic:latest', prompt: 'why?' } }],
  ['pull, streamed', { path: '/api/pull', body: { model: 'qwen3:4b' } }],
  [
    'pull, whole, as older clients say it',
    { path: '/api/pull', body: { name: 'hf.co/a/b:Q4', stream: false } },
  ],
  ['copy', { path: '/api/copy', body: { source: 'qwen3:4b', destination: 'mine:latest' } }],
  ['copy what is not there', { path: '/api/copy', body: { source: 'none', destination: 'b' } }],
  ['push', { path: '/api/push', body: { model: 'mine:latest' } }],
  ['push what is not there', { path: '/api/push', body: { model: 'none', stream: false } }],
  ['delete', { method: 'DELETE', path: '/api/delete', body: { model: 'mine:latest' } }],
  ['delete again', { method: 'DELETE', path: '/api/delete', body: { name: 'mine:latest' } }],
  ['a file that is not there', { method: 'HEAD', path: `/api/blobs/${DIGEST}` }],
  ['a file', { path: `/api/blobs/${DIGEST}`, body: FILE }],
  ['a damaged file', { path: `/api/blobs/sha256:${'0'.repeat(64)}`, body: FILE }],
  ['a file that is there', { method: 'HEAD', path: `/api/blobs/${DIGEST}` }],
  [
    'create of a file',
    { path: '/api/create', body: { model: 'own:latest', files: { a: DIGEST } } },
  ],
  [
    'create of a model',
    { path: '/api/create', body: { model: 'own:2', from: 'llama3:latest', stream: false } },
  ],
  ['create of nothing', { path: '/api/create', body: { model: 'own:3', from: 'none' } }],
]

describe('one server', () => {
  let [alone, served]: (OllamaServer | undefined)[] = []
  let gateway: RunningGateway | undefined

  beforeAll(async () => {
    ;[alone, served] = await Promise.all([startOllamaServer(MODELS), startOllamaServer(MODELS)])
    gateway = await startGateway(configFor(served), LOCAL)
  })

  afterAll(async () => {
    await gateway?.close()
    await alone?.close()
    await served?.close()
  })

  test('answers through the gateway as it does alone', async () => {
    if (!alone || !served || !gateway) throw new Error('nothing was started')
    for (const [name, asked] of REQUESTS) {
      const [own, through] = [await ask(alone.url, asked), await ask(gateway.url, asked)]
      const [type] = [own, through].map((one) => one.type?.replace(/;.*/, '') ?? null)
      expect({ name, ...through, type: through.type?.replace(/;.*/, '') ?? null }).toEqual({
        name,
        ...own,
        type,
      })
    }
    expect([...served.models]).toEqual([...alone.models])
    expect([...served.blobs]).toEqual([DIGEST])
  })
})

describe('the official client', () => {
  let server: OllamaServer
  let gateway: RunningGateway
  let client: Ollama

  beforeAll(async () => {
    server = await startOllamaServer(MODELS)
    gateway = await startGateway(configFor(server), LOCAL)
    client = new Ollama({ host: gateway.url })
  })

  afterAll(async () => {
    await gateway.close()
    await server.close()
  })

  test('manages models', async () => {
    const steps: string[] = []
    for await (const { status } of await client.pull({ model: 'qwen3:4b', stream: true })) {
      steps.push(String(status))
    }
    expect(steps).toHaveLength(6)
    expect((await client.pull({ model: 'b', insecure: true })).status).toBe('success')
    await client.copy({ source: 'qwen3:4b', destination: 'mine' })
    expect((await client.push({ model: 'mine' })).status).toBe('success')
    expect((await client.create({ model: 'own', from: 'mine' })).status).toBe('success')
    await client.delete({ model: 'qwen3:4b' })
    expect([...server.models]).toEqual([...MODELS, 'b', 'mine', 'own'])
    await expect(client.delete({ model: 'qwen3:4b' })).rejects.toMatchObject({
      status_code: 404,
      error: "model 'qwen3:4b' not found",
    })
  })

  test('embeds, fills in, loads and unloads', async () => {
    const { embeddings } = await client.embed({ model: 'nomic:latest', input: ['a', 'b'] })
    expect(embeddings).toHaveLength(2)
    const { embedding } = await client.embeddings({ model: 'nomic:latest', prompt: 'a' })
    expect(embedding).toEqual(embeddings[0])
    const request = { model: 'llama3:latest', prompt: 'def a(', suffix: 'return' }
    expect((await client.generate(request)).response).toBe('def a(|return')
    const pieces: string[] = []
    for await (const { response } of await client.generate({ ...request, stream: true })) {
      pieces.push(response ?? '')
    }
    expect(pieces.join('')).toBe('def a(|return')
    const loaded = await client.generate({ model: 'llama3:latest', prompt: '' })
    expect(loaded).toMatchObject({ done: true, done_reason: 'load' })
    expect((await client.ps()).models.map(({ name }) => name)).toEqual(['llama3:latest'])
    const gone = await client.chat({ model: 'llama3:latest', messages: [], keep_alive: 0 })
    expect(gone).toMatchObject({ done: true, done_reason: 'unload' })
    expect((await client.ps()).models).toEqual([])
    expect(await client.version()).toMatchObject({ version: '0.14.2' })
  })

  test('loads models of other providers without asking them', async () => {
    const loaded = await client.generate({ model: 'demo/hermes', prompt: '', keep_alive: '10m' })
    expect(loaded).toMatchObject({ model: 'demo/hermes', response: '', done_reason: 'load' })
    const gone = await client.chat({ model: 'demo/hermes', messages: [], keep_alive: '0s' })
    expect(gone).toMatchObject({ message: { content: '' }, done: true, done_reason: 'unload' })
  })
})

test('fields of the configuration are added where words are made, and defaults where a model is loaded', async () => {
  const server = await startOllamaServer()
  const provider = {
    baseUrl: server.url,
    body: { options: { num_ctx: 4096 } },
    forceBody: { keep_alive: '1h' },
  }
  const gateway = await startGateway({ providers: { ollama: provider } })
  const model = 'ollama/llama3:latest'
  const sent = async (path: string, body: object) => {
    await ask(gateway.url, { path, body: { model, ...body } })
    const { options, keep_alive: keepAlive } = server.requests.at(-1)?.body ?? {}
    return { options, keepAlive }
  }
  const options = { num_ctx: 4096 }
  expect(await sent('/api/generate', { prompt: 'a' })).toEqual({ options, keepAlive: '1h' })
  expect(await sent('/v1/completions', { prompt: 'a' })).toEqual({ options, keepAlive: '1h' })
  expect(await sent('/api/generate', { keep_alive: 0 })).toEqual({ options, keepAlive: 0 })
  expect(await sent('/api/embed', { input: 'a' })).toEqual({ options, keepAlive: undefined })
  await gateway.close()
  await server.close()
})

test('a model that was pulled can be used at once, and one that was deleted is gone', async () => {
  const server = await startOllamaServer()
  const gateway = await startGateway({ providers: { ollama: { baseUrl: server.url } } }, LOCAL)
  const client = new Ollama({ host: gateway.url })
  const listed = async () => (await client.list()).models.some(({ name }) => name.includes('new'))
  expect(await listed()).toBe(false)
  await client.pull({ model: 'new:1b' })
  await expect.poll(listed).toBe(true)
  expect((await client.generate({ model: 'new:1b', prompt: 'Hi' })).response).toBe('Hi|')
  await client.delete({ model: 'new:1b' })
  await expect.poll(listed).toBe(false)
  await gateway.close()
  await server.close()
})

test('a file is passed on as it comes, however long other requests may be', async () => {
  const server = await startOllamaServer()
  const limits = { requestBytes: 1000, blobBytes: 2 * FILE.length }
  const gateway = await startGateway(configFor(server, { limits }), LOCAL)
  const path = `/api/blobs/${DIGEST}`
  expect(await ask(gateway.url, { path, body: FILE })).toMatchObject({ status: 201 })
  expect(server.blobs.has(DIGEST)).toBe(true)
  const long = Buffer.concat([FILE, FILE, FILE])
  const refused = await ask(gateway.url, { path, body: long })
  expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('limits.blobBytes')])
  // Without a length, the end of the limit is found on the way.
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const one of [FILE, FILE, FILE]) controller.enqueue(new Uint8Array(one))
      controller.close()
    },
  })
  const init = { method: 'POST', body: pieces, duplex: 'half' } as const
  const unknown = await fetch(gateway.url + path, init).then(
    ({ status }) => status,
    // The rest of the body is not read.
    () => 413,
  )
  expect(unknown).toBe(413)
  await gateway.close()
  await server.close()
})

describe('several servers', () => {
  let [first, second]: [OllamaServer, OllamaServer] = [] as never
  let gateway: RunningGateway

  beforeAll(async () => {
    ;[first, second] = await Promise.all([
      startOllamaServer(['a:latest', 'both:latest']),
      startOllamaServer(['b:latest', 'both:latest']),
    ])
    gateway = await startGateway(
      {
        providers: {
          desk: { provider: 'ollama', baseUrl: first.url, models: ['a:latest'] },
          rack: { provider: 'ollama', baseUrl: second.url, models: ['b:latest'] },
          off: { provider: 'ollama', baseUrl: 'http://127.0.0.1:9' },
        },
      },
      LOCAL,
    )
  })

  afterAll(async () => {
    await gateway.close()
    await first.close()
    await second.close()
  })

  test('the first that has the model, the one that is named, or else the first', async () => {
    const change = async (path: string, body: object, method = 'POST') =>
      (await ask(gateway.url, { method, path, body })).status
    expect(await change('/api/copy', { source: 'b:latest', destination: 'b2' })).toBe(200)
    expect(second.models.has('b2')).toBe(true)
    expect(await change('/api/delete', { model: 'both:latest' }, 'DELETE')).toBe(200)
    expect([first.models.has('both:latest'), second.models.has('both:latest')]).toEqual([
      false,
      true,
    ])
    expect(await change('/api/pull', { model: 'new' })).toBe(200)
    expect(await change('/api/pull', { model: 'rack/newer' })).toBe(200)
    expect([first.models.has('new'), second.models.has('newer')]).toEqual([true, true])
    const two = { source: 'desk/a:latest', destination: 'rack/a' }
    expect(await change('/api/copy', two)).toBe(400)
    const nobody = await ask(gateway.url, { path: '/api/push', body: { model: 'none' } })
    expect(nobody).toMatchObject({ status: 404, text: `{"error":"model 'none' not found"}` })
    expect(await change('/api/pull', { model: 'off/x' })).toBe(502)
  })

  test('a key for one of them does not reach the other', async () => {
    const keyed = await startGateway({
      providers: {
        desk: { provider: 'ollama', baseUrl: first.url },
        rack: { provider: 'ollama', baseUrl: second.url },
      },
      keys: [
        { name: 'desk', key: 'desk-key', manage: true, models: ['desk/*'] },
        { name: 'rack', key: 'rack-key', manage: true, models: ['rack/*'] },
      ],
    })
    second.models.add('theirs')
    const remove = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const asked = { method: 'DELETE', path: '/api/delete', body: { model: 'theirs' }, headers }
      return (await ask(keyed.url, asked)).status
    }
    expect(await remove('desk-key')).toBe(404)
    expect(second.models.has('theirs')).toBe(true)
    expect(await remove('rack-key')).toBe(200)
    await keyed.close()
  })

  test('what is loaded on all of them', async () => {
    await ask(gateway.url, { path: '/api/generate', body: { model: 'a:latest' } })
    await ask(gateway.url, { path: '/api/generate', body: { model: 'b:latest' } })
    const { text } = await ask(gateway.url, { method: 'GET', path: '/api/ps' })
    const { models } = JSON.parse(text) as { models: { name: string }[] }
    expect(models.map(({ name }) => name)).toEqual(['a:latest', 'b:latest'])
  })
})

describe('who may change a server', () => {
  const PULL = { path: '/api/pull', body: { model: 'x', stream: false } }

  async function statusOf(
    config: GatewayConfig,
    options: GatewayOptions,
    asked: Asked = PULL,
  ): Promise<Said> {
    const server = await startOllamaServer(MODELS)
    const gateway = await startGateway(configFor(server, config), options)
    const said = await ask(gateway.url, asked)
    if (said.status >= 400) expect(server.requests).toEqual([])
    await gateway.close()
    await server.close()
    return said
  }

  const keys = [
    { name: 'reader', key: 'reader', admin: true },
    { name: 'keeper', key: 'keeper', manage: true, models: ['llama3*', 'ollama/mine*'] },
  ]
  const by = (key: string, asked: Asked = PULL): Asked => ({
    ...asked,
    headers: { authorization: `Bearer ${key}` },
  })
  const deleting = (model: string): Asked => ({
    method: 'DELETE',
    path: '/api/delete',
    body: { model },
  })

  test('without keys, this machine only', async () => {
    expect((await statusOf({}, LOCAL)).status).toBe(200)
    const open = await statusOf({}, { localOnly: false })
    expect([open.status, open.text]).toEqual([403, expect.stringContaining('this machine only')])
  })

  test('with keys, those that are marked so, and of the models that they may use', async () => {
    expect((await statusOf({ keys }, {}, PULL)).status).toBe(401)
    expect((await statusOf({ keys }, LOCAL, by('reader'))).status).toBe(403)
    expect((await statusOf({ keys }, {}, by('keeper'))).status).toBe(403)
    expect((await statusOf({ keys }, {}, by('keeper', deleting('llama3:latest')))).status).toBe(200)
    const head = { method: 'HEAD', path: `/api/blobs/${DIGEST}` }
    expect((await statusOf({ keys }, {}, by('reader', head))).status).toBe(403)
    const mine = { path: '/api/pull', body: { model: 'mine:1', stream: false } }
    expect((await statusOf({ keys }, {}, by('keeper', mine))).status).toBe(200)
  })

  test('pages of other origins may not, and other methods are not for these paths', async () => {
    const foreign = { ...PULL, headers: { origin: 'https://evil.example' } }
    expect((await statusOf({}, LOCAL, foreign)).status).toBe(403)
    expect((await statusOf({}, LOCAL, { ...PULL, path: '/api/delete' })).status).toBe(405)
  })

  test('without an Ollama server there is nothing to change', async () => {
    const gateway = await startGateway({}, LOCAL)
    const said = await ask(gateway.url, PULL)
    expect([said.status, said.text]).toEqual([501, expect.stringContaining('none is configured')])
    expect(await ask(gateway.url, { method: 'GET', path: '/api/ps' })).toMatchObject({
      text: '{"models":[]}',
    })
    await gateway.close()
  })
})

test('a client that leaves ends a pull', async () => {
  let isOpen = false
  const server = createServer((_, response) => {
    isOpen = true
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write('{"status":"pulling manifest"}\n')
    response.on('close', () => {
      isOpen = false
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  const gateway = await startGateway(
    { providers: { ollama: { baseUrl: `http://127.0.0.1:${port}` } } },
    LOCAL,
  )
  const client = new Ollama({ host: gateway.url })
  const stream = await client.pull({ model: 'x', stream: true })
  await expect(async () => {
    for await (const _ of stream) stream.abort()
  }).rejects.toThrow()
  await expect.poll(() => [isOpen, gateway.gateway.pending()]).toEqual([false, 0])
  await gateway.close()
  await new Promise((resolve) => server.close(resolve))
})
