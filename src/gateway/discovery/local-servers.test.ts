/** Servers that answer as the real ones do, and others that happen to be at their ports. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { streamSource } from '../byte-source.ts'
import type { Send } from '../http.ts'
import { discoverLocalServers, type LocalServer, type LocalServerOptions } from './local-servers.ts'

const servers: Server[] = []
/** Headers of every request that any of them got. */
const seen: NodeJS.Dict<string | string[]>[] = []

afterEach(async () => {
  seen.length = 0
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }),
  )
})

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer((request, response) => {
    seen.push(request.headers)
    listener(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port // it listens at a port, not at a path
}

/** Answers these paths, and others with 404. */
function answering(
  paths: Record<string, unknown>,
  headers: Record<string, string> = {},
): RequestListener {
  return ({ url = '' }, response) => {
    const body = paths[url]
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'application/json',
      ...headers,
    })
    response.end(JSON.stringify(body ?? { error: 'not found' }))
  }
}

const send: Send = async ({ method, url, headers, signal }) => {
  const response = await fetch(url, { method, headers, signal: signal ?? null })
  if (!response.body) throw new Error('no body')
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: streamSource(response.body),
  }
}

const PROVIDERS = ['ollama', 'llama-cpp', 'lm-studio', 'vllm', 'sglang']
/** Nobody listens there. */
const CLOSED = Object.fromEntries(PROVIDERS.map((provider) => [provider, 1]))

function discover(
  ports: Record<string, number>,
  options: Partial<LocalServerOptions> = {},
): Promise<readonly LocalServer[]> {
  return discoverLocalServers({
    send,
    env: {},
    timeoutMs: 3000,
    ...options,
    ports: { ...CLOSED, ...ports },
  })
}

const OLLAMA = {
  '/api/tags': {
    models: [{ name: 'qwen3:8b', model: 'qwen3:8b', size: 1 }, { name: 'llama3.2:latest' }],
  },
}

function models(owner: string, ...ids: string[]): unknown {
  return { object: 'list', data: ids.map((id) => ({ id, object: 'model', owned_by: owner })) }
}

describe('finds', () => {
  test.for<[provider: string, path: string, paths: Record<string, unknown>, found: string[]]>([
    ['ollama', '', OLLAMA, ['qwen3:8b', 'llama3.2:latest']],
    ['ollama', '', { '/api/tags': { models: [] } }, []],
    [
      'llama-cpp',
      '/v1',
      { '/v1/models': { models: [], ...Object(models('llamacpp', 'a.gguf')) } },
      ['a.gguf'],
    ],
    [
      'lm-studio',
      '/v1',
      {
        '/api/v0/models': {
          object: 'list',
          data: [
            { id: 'qwen2.5-7b', object: 'model', type: 'llm', state: 'loaded' },
            { id: 'llava', object: 'model', type: 'vlm', state: 'not-loaded' },
            { id: 'nomic', object: 'model', type: 'embeddings', state: 'not-loaded' },
          ],
        },
      },
      ['qwen2.5-7b', 'llava'],
    ],
    [
      'vllm',
      '/v1',
      { '/v1/models': models('vllm', 'Qwen/Qwen3-8B', 'lora'), '/version': {} },
      ['Qwen/Qwen3-8B', 'lora'],
    ],
    [
      'sglang',
      '/v1',
      { '/v1/models': models('sglang', 'served'), '/get_model_info': { model_path: 'p' } },
      ['served'],
    ],
    [
      'sglang',
      '/v1',
      { '/get_model_info': { model_path: 'Qwen/Qwen3-8B', is_generation: true } },
      ['Qwen/Qwen3-8B'],
    ],
  ])('%s', async ([provider, path, paths, found]) => {
    const port = await listen(answering(paths))
    const baseUrl = `http://127.0.0.1:${port}${path}`
    expect(await discover({ [provider]: port })).toEqual([
      { provider, name: expect.any(String), baseUrl, models: found },
    ])
  })

  test('all of them at once', async () => {
    const ports = {
      ollama: await listen(answering(OLLAMA)),
      vllm: await listen(answering({ '/v1/models': models('vllm', 'a') })),
      sglang: await listen(answering({ '/v1/models': models('sglang', 'b') })),
    }
    const found = await discover(ports)
    expect(found.map(({ provider }) => provider)).toEqual(['ollama', 'vllm', 'sglang'])
  })

  test.for(['127.0.0.1:PORT', '0.0.0.0:PORT', 'http://localhost:PORT/'])(
    'Ollama where OLLAMA_HOST says: %s',
    async (host) => {
      const port = await listen(answering(OLLAMA))
      const env = { OLLAMA_HOST: host.replace('PORT', String(port)) }
      const { ollama: _, ...others } = CLOSED
      const found = await discoverLocalServers({ send, env, ports: others, timeoutMs: 3000 })
      expect(found.map(({ baseUrl }) => baseUrl)).toEqual([`http://127.0.0.1:${port}`])
    },
  )

  test('no key is sent', async () => {
    const port = await listen(answering({ '/v1/models': models('vllm', 'a') }))
    await discover(
      { vllm: port },
      { env: { VLLM_API_KEY: 'secret-key', OLLAMA_API_KEY: 'secret-key' } },
    )
    expect(seen.length).toBe(1)
    expect(JSON.stringify(seen)).not.toContain('secret-key')
  })
})

describe('passes over', () => {
  const HUGE = Buffer.alloc(256 * 1024, ' ')

  test.for<[what: string, listener: RequestListener]>([
    ['a web page', (_, response) => response.end('<!doctype html><title>Hello</title>')],
    ['a server without such a path', answering({})],
    [
      'another list of models',
      answering({ '/v1/models': models('somebody', 'x'), '/api/v0/models': models('y', 'z') }),
    ],
    [
      'other JSON',
      answering({
        '/api/tags': [1],
        '/v1/models': null,
        '/api/v0/models': { data: 'x' },
        '/get_model_info': {},
      }),
    ],
    ['a gateway of ours', answering(OLLAMA, { 'x-toolglot-request-id': '1' })],
    ['an error', (_, response) => response.writeHead(500).end('{"models":[]}')],
    [
      'a body without end',
      (_, response) => {
        response.on('error', () => {})
        const more = (): void => {
          while (!response.destroyed && response.write(HUGE));
        }
        response.on('drain', more)
        more()
      },
    ],
    ['a connection that breaks', (request) => void request.socket.destroy()],
  ])('%s', async ([, listener]) => {
    const port = await listen(listener)
    const ports = Object.fromEntries(PROVIDERS.map((provider) => [provider, port]))
    expect(await discover(ports)).toEqual([])
    expect(seen.length).toBeGreaterThan(4)
  })

  test.for<[what: string, listener: RequestListener]>([
    ['a server that says nothing', () => {}],
    [
      'a server that does not finish',
      (_, response) => void response.writeHead(200).write('{"models": ['),
    ],
  ])('%s, soon', async ([, listener]) => {
    const port = await listen(listener)
    const began = Date.now()
    const other = await listen(answering({ '/v1/models': models('vllm', 'a') }))
    const found = await discover({ ollama: port, vllm: other }, { timeoutMs: 300 })
    expect(found.map(({ provider }) => provider)).toEqual(['vllm'])
    expect(Date.now() - began).toBeLessThan(5000)
  })

  test('a way to send that never ends', async () => {
    const never: Send = () => new Promise(() => {})
    expect(await discover({}, { send: never, timeoutMs: 50 })).toEqual([])
  })

  test('other machines: nobody there is asked', async () => {
    const asked: string[] = []
    const noted: Send = (request) => {
      asked.push(request.url.host)
      return send(request)
    }
    const env = { OLLAMA_HOST: 'http://192.0.2.1:11434' }
    expect(await discover({}, { env, send: noted })).toEqual([])
    // llama.cpp has two usual ports, which are one here.
    expect(asked).toEqual(Array.from({ length: 6 }, () => '127.0.0.1:1'))
  })
})

test('who gives up is told so at once', async () => {
  const port = await listen(() => {})
  const controller = new AbortController()
  const search = discover({ ollama: port }, { signal: controller.signal, timeoutMs: 60_000 })
  controller.abort(new Error('enough'))
  await expect(search).rejects.toThrow('enough')
})
