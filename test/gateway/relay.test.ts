/** APIs besides chat: passed on to the provider that has the model, or translated to one that it has. */
import { GoogleGenAI } from '@google/genai'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import type { GatewayObserver, Outcome } from '../../src/gateway/observer.ts'
import { type ApiServer, startApiServer } from '../support/api-server.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { type OllamaServer, startOllamaServer } from '../support/ollama-server.ts'

const KEY = 'sk-upstream-secret-4711'
const CLIENT_KEY = 'client-key-of-somebody'

let server: ApiServer
let ollama: OllamaServer
let gateway: RunningGateway
let outcomes: Outcome[] = []

const watcher: GatewayObserver = {
  begin: () => ({ end: (outcome) => void outcomes.push(outcome) }),
}

function config(): GatewayConfig {
  return {
    providers: {
      api: { provider: 'openai-compatible', baseUrl: `${server.url}/v1`, apiKey: KEY },
      studio: { provider: 'lm-studio', baseUrl: `${server.url}/floats/v1` },
      llama: { provider: 'llama-cpp', baseUrl: `${server.url}/v1`, models: ['coder'] },
      google: { baseUrl: `${server.url}/v1beta`, apiKey: KEY },
      ollama: { baseUrl: ollama.url, models: ['llama3:latest'] },
      anthropic: { apiKey: KEY },
    },
    models: {
      mine: 'api/embedder',
      either: ['anthropic/claude', 'api/down', 'api/embedder'],
      whisper: 'api/whisper-1',
    },
    keys: [
      { name: 'all', key: CLIENT_KEY },
      { name: 'few', key: 'few-key', models: ['mine'], budget: { tokens: 30 } },
    ],
    limits: { uploadBytes: 100_000, requestBytes: 50_000, firstKeepAliveMs: 1 },
  }
}

beforeAll(async () => {
  server = await startApiServer()
  ollama = await startOllamaServer()
  gateway = await startGateway(config(), { observers: [watcher] })
})

beforeEach(() => {
  outcomes = []
  server.forget()
})

afterAll(async () => {
  await gateway.close()
  await server.close()
  await ollama.close()
})

function openai(apiKey = CLIENT_KEY): OpenAI {
  return new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
}

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'x-api-key': CLIENT_KEY, ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
}

describe('embeddings', () => {
  // What the servers make of a text: its first characters as numbers that a 32-bit float has exactly.
  const VECTOR = [104, 105, 0, 0].map((code) => code / 64)

  test.for([
    ['a provider of the same API', 'mine'],
    ['a server that ignores encoding_format', 'studio/nomic'],
    ['an Ollama server', 'llama3'],
    ['Gemini', 'google/gemini-embedding-001'],
  ] as const)('the client of OpenAI, which asks for base64, from %s', async ([, model]) => {
    const { data, usage } = await openai().embeddings.create({ model, input: ['hi', 'hi'] })
    expect(data.map(({ embedding, index }) => [index, embedding])).toEqual([
      [0, VECTOR],
      [1, VECTOR],
    ])
    if (!model.startsWith('google')) expect(usage.prompt_tokens).toBe(2)
  })

  test('dimensions and lists of numbers', async () => {
    for (const model of ['mine', 'ollama/llama3:latest', 'google/gemini-embedding-001']) {
      const { data } = await openai().embeddings.create({
        ...{ model, input: 'hi', dimensions: 2 },
        encoding_format: 'float',
      })
      expect(data[0]?.embedding).toEqual(VECTOR.slice(0, 2))
    }
  })

  test('clients of Ollama and Gemini, from a provider of OpenAI’s API', async () => {
    const embed = await post('/api/embed', { model: 'mine', input: ['hi', 'hi'] })
    expect(embed.json()).toMatchObject({
      model: 'mine',
      embeddings: [VECTOR, VECTOR],
      prompt_eval_count: 2,
    })
    const older = await post('/api/embeddings', { model: 'mine', prompt: 'hi' })
    expect(older.json()).toEqual({ embedding: VECTOR })
    const genai = new GoogleGenAI({ apiKey: CLIENT_KEY, httpOptions: { baseUrl: gateway.url } })
    const { embeddings } = await genai.models.embedContent({
      model: 'mine',
      contents: ['hi', 'hi'],
      config: { outputDimensionality: 2 },
    })
    expect(embeddings?.map(({ values }) => values)).toEqual([
      VECTOR.slice(0, 2),
      VECTOR.slice(0, 2),
    ])
    const content = { parts: [{ text: 'h' }, { text: 'i' }] }
    const one = await post('/v1beta/models/mine:embedContent', { content, taskType: 'CLUSTERING' })
    expect(one.json()).toEqual({ embedding: { values: VECTOR } })
    expect(one.headers.get('x-toolglot-issues')).toBe('lost-field')
  })

  test('Gemini to Gemini goes with the name of the model in both places', async () => {
    const requests = [
      { model: 'models/google/emb', content: { parts: [{ text: 'hi' }] }, title: 't' },
    ]
    const reply = await post('/v1beta/models/google%2Femb:batchEmbedContents', { requests })
    expect(reply.json()).toEqual({ embeddings: [{ values: VECTOR }] })
    expect(reply.headers.get('x-toolglot-lane')).toBe('pass')
    expect(server.requests).toMatchObject([
      {
        path: '/v1beta/models/emb:batchEmbedContents',
        body: { requests: [{ model: 'models/emb', title: 't' }] },
      },
    ])
  })

  test('tokens instead of texts go only where they are known', async () => {
    const tokens = { input: [[1, 2]], encoding_format: 'float' }
    expect((await post('/v1/embeddings', { model: 'mine', ...tokens })).status).toBe(200)
    const refused = await post('/v1/embeddings', { model: 'llama3', ...tokens })
    expect(refused.status).toBe(400)
    expect(refused.json().error.message).toContain('"input" with anything but texts')
  })
})

describe('completions', () => {
  test('pass, whole and streamed', async () => {
    const asked = { model: 'mine', prompt: 'def a(', suffix: 'return', max_tokens: 5 }
    const whole = await openai().completions.create(asked)
    expect(whole.choices[0]?.text).toBe('def a(|return')
    const stream = await openai().completions.create({ ...asked, stream: true })
    const pieces: string[] = []
    for await (const { choices } of stream) pieces.push(choices[0]?.text ?? '')
    expect(pieces.join('')).toBe('def a(|return')
    expect(server.requests.map(({ body }) => body['model'])).toEqual(['embedder', 'embedder'])
    expect(outcomes.map(({ usage }) => usage?.outputTokens)).toEqual([3, 3])
  })

  test('from an Ollama server, whole and streamed', async () => {
    const asked = { model: 'llama3', prompt: 'def a(', suffix: 'return', max_tokens: 5, stop: 'x' }
    const whole = await openai().completions.create(asked)
    expect(whole).toMatchObject({
      object: 'text_completion',
      model: 'llama3',
      choices: [{ text: 'def a(|return', finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    })
    const { body } = ollama.requests.at(-1) ?? {}
    expect(body).toMatchObject({ suffix: 'return', options: { num_predict: 5, stop: ['x'] } })
    const stream = await openai().completions.create({
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe('def a(|return')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 10 } })
    const refused = await post('/v1/completions', { model: 'llama3', prompt: ['a', 'b'] })
    expect(refused.status).toBe(400)
  })

  test('filling in by clients of Ollama, from a provider of OpenAI’s API', async () => {
    const asked = { model: 'mine', prompt: 'def a(', suffix: 'return', options: { num_predict: 5 } }
    const whole = await post('/api/generate', { ...asked, stream: false })
    expect(whole.json()).toMatchObject({
      model: 'mine',
      response: 'def a(|return',
      done: true,
      eval_count: 3,
    })
    const streamed = await post('/api/generate', asked)
    const lines = streamed.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ response }) => response).join('')).toBe('def a(|return')
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: 'stop', eval_count: 3 })
    const nobody = await post('/api/generate', { ...asked, model: 'anthropic/claude' })
    expect(nobody.status).toBe(501)
    expect(nobody.json().error).toContain('anthropic/claude')
  })

  test('a stream that breaks off says so', async () => {
    const reply = await post('/v1/completions', { model: 'api/broken', prompt: 'a', stream: true })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('"text":"a"')
    expect(reply.text).toMatch(/data: \{"error":\{"message":.*\n\n$/)
    expect(outcomes[0]?.error).toBe('transport')
  })

  test.for([
    ['/v1/completions', 'api/slow', 'text/event-stream; charset=utf-8', /^: keep-alive\n\n/],
    ['/v1/completions', 'api/slow-and-down', 'text/event-stream; charset=utf-8', /"error":\{/],
  ] as const)(
    '%s of %s: signs of life before the first token',
    async ([path, model, type, seen]) => {
      const response = await fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'x-api-key': CLIENT_KEY },
        body: JSON.stringify({ model, prompt: 'a', suffix: 'b', stream: true }),
      })
      expect(response.headers.get('content-type')).toBe(type)
      await expect.poll(() => server.waiting()).toBe(1)
      server.release()
      const text = await response.text()
      expect(text).toMatch(seen)
      expect(text.endsWith('data: [DONE]\n\n')).toBe(model === 'api/slow')
    },
  )

  test('infilling without a model reaches the server that has it', async () => {
    const reply = await post('/infill', { input_prefix: 'a', input_suffix: 'b' })
    expect(reply.json()).toMatchObject({ content: 'a|b' })
    expect(server.requests).toMatchObject([{ path: '/infill', body: { input_prefix: 'a' } }])
    expect(server.requests[0]?.body).not.toHaveProperty('model')
    const tokens = await post('/tokenize', { content: 'ab' })
    expect(tokens.json()).toEqual({ tokens: [97, 98] })
  })
})

describe('everything else', () => {
  test.for(['/rerank', '/v1/rerank', '/v2/rerank'])('%s', async (path) => {
    const reply = await post(path, { model: 'mine', query: 'q', documents: ['a', 'b'] })
    expect(reply.json()).toMatchObject({ results: [{ index: 0 }, { index: 1 }] })
    expect(server.requests).toMatchObject([{ path: '/v1/rerank', body: { model: 'embedder' } }])
    expect(outcomes[0]?.usage).toMatchObject({ inputTokens: 4 })
  })

  test('speech is binary', async () => {
    const speech = await openai().audio.speech.create({ model: 'mine', voice: 'v', input: 'hi' })
    expect(speech.headers.get('content-type')).toBe('audio/mpeg')
    const bytes = new Uint8Array(await speech.arrayBuffer())
    expect([...bytes.subarray(0, 4)]).toEqual([0xff, 0xfb, 0x00, 0x0a])
    expect(bytes.length).toBe(200_000)
  })

  test('audio goes up as a form, with the name that the provider knows', async () => {
    const audio = Buffer.from([0, 13, 10, 45, 45, 255, ...Buffer.from('--boundary\r\n')])
    const file = await toFile(audio, 'speech.wav')
    const heard = await openai().audio.transcriptions.create({
      file,
      model: 'whisper',
      language: 'nb',
    })
    expect(heard.text).toBe('speech.wav')
    const other = await openai().audio.translations.create({ file, model: 'whisper' })
    expect(other.text).toBe('speech.wav')
    expect(server.forms).toMatchObject([
      { model: 'whisper-1', language: 'nb' },
      { model: 'whisper-1' },
    ])
    expect(server.files.map((one) => Buffer.from(one))).toEqual([audio, audio])
    expect(outcomes[0]?.usage).toMatchObject({ inputTokens: 9, outputTokens: 2 })
  })

  test('pictures', async () => {
    const drawn = await openai().images.generate({ model: 'mine', prompt: 'a cat' })
    expect(drawn.data?.[0]?.b64_json).toBe('AAAA')
    const image = await toFile(Buffer.from('png'), 'a.png', { type: 'image/png' })
    await openai().images.edit({ model: 'mine', image: [image, image], prompt: 'a dog' })
    await openai().images.createVariation({ image })
    expect(server.forms).toMatchObject([{ model: 'embedder', prompt: 'a dog' }, {}])
    expect(server.forms[1]).not.toHaveProperty('model')
  })

  test('moderations need no model', async () => {
    const { results } = await openai().moderations.create({ input: 'hello' })
    expect(results[0]?.flagged).toBe(false)
  })
})

describe('what nobody serves', () => {
  test('is said in the words of the client, with all names', async () => {
    const speech = await post('/v1/audio/speech', { model: 'anthropic/claude', input: 'hi' })
    expect(speech.status).toBe(501)
    const { error } = speech.json()
    expect(error).toMatchObject({ code: 'not_supported', type: 'server_error' })
    for (const word of [
      '/v1/audio/speech',
      '"anthropic/claude"',
      'anthropic/claude does not serve',
    ]) {
      expect(error.message).toContain(word)
    }
    const embed = await post('/api/embed', { model: 'anthropic/claude', input: 'hi' })
    expect([embed.status, typeof embed.json().error]).toEqual([501, 'string'])
    const gemini = await post('/v1beta/models/anthropic%2Fclaude:embedContent', {})
    expect(gemini.json().error).toMatchObject({ code: 501, status: 'UNIMPLEMENTED' })
  })

  test('batches and files', async () => {
    const batches = await post('/v1/messages/batches', { requests: [] })
    expect(batches.status).toBe(501)
    expect(batches.json()).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('batches') },
    })
    expect((await post('/v1/files', {})).status).toBe(501)
    expect((await post('/v1/nothing', {})).status).toBe(404)
    const twice = await post('/v1/v1/embeddings', {})
    expect([twice.status, twice.json().error.message]).toEqual([
      404,
      expect.stringContaining('/v1/embeddings was probably meant'),
    ])
    const read = await fetch(`${gateway.url}/v1/embeddings`)
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('keys, limits and chains', () => {
  test('a chain leaves out who does not serve the API, and goes on when one fails', async () => {
    const reply = await post('/v1/embeddings', { model: 'either', input: 'hi' })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-toolglot-model')).toBe('api/embedder')
    // A failure at one API says nothing about chat with the same model.
    expect(server.requests.map(({ body }) => body['model'])).toContain('down')
  })

  test('rights, and a budget that the usage is taken from', async () => {
    const few = { 'x-api-key': 'few-key' }
    const asked = { input: ['hi', 'hi'] }
    expect((await post('/v1/embeddings', { model: 'llama3', ...asked }, few)).status).toBe(403)
    expect(
      (await post('/v1/embeddings', { model: 'mine', ...asked }, { 'x-api-key': 'no' })).status,
    ).toBe(401)
    const speech = { model: 'mine', input: 'hi' }
    // Bytes of audio are no tokens, those of the text are.
    expect((await post('/v1/audio/speech', speech, few)).status).toBe(200)
    expect(
      (await post('/v1/rerank', { model: 'mine', query: 'x'.repeat(90), documents: ['a'] }, few))
        .status,
    ).toBe(200)
    const statuses = []
    for (let count = 0; count < 12; count++) {
      statuses.push((await post('/v1/embeddings', { model: 'mine', ...asked }, few)).status)
    }
    expect(statuses[0]).toBe(200)
    expect(statuses.at(-1)).toBe(429)
  })

  test('a form may be longer than other bodies, and no longer than its own limit', async () => {
    const send = async (length: number) => {
      const file = await toFile(Buffer.alloc(length), 'a.wav')
      return openai().audio.transcriptions.create({ file, model: 'whisper' })
    }
    expect((await send(60_000)).text).toBe('a.wav')
    await expect(send(120_000)).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining('limits.uploadBytes'),
    })
  })

  test('what is no form is refused', async () => {
    for (const body of [
      '',
      '--b\r\n',
      '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nx',
    ]) {
      const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { 'x-api-key': CLIENT_KEY, 'content-type': 'multipart/form-data; boundary=b' },
        body,
      })
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining('form'),
      ])
    }
  })

  test('the key of the provider never reaches the client', async () => {
    const reply = await post('/v1/moderations', { model: 'api/leaks', input: 'x' })
    expect(reply.text).toContain('authorization')
    expect(reply.text).not.toContain(KEY)
    const sound = await post('/v1/audio/speech', { model: 'api/leaks', input: 'x' })
    expect(sound.text).not.toContain(KEY)
  })

  test('a client that leaves ends what was asked for', async () => {
    const left = new AbortController()
    const response = await fetch(`${gateway.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'x-api-key': CLIENT_KEY },
      body: JSON.stringify({ model: 'api/endless', input: 'x' }),
      signal: left.signal,
    })
    await response.body?.getReader().read()
    expect(server.pending()).toBe(1)
    left.abort()
    await expect.poll(() => [server.pending(), gateway.gateway.pending()]).toEqual([0, 0])
    expect(outcomes.at(-1)?.status).toBe(499)
  })
})
