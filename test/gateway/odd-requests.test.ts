/** What people and old programs send by mistake or out of habit, and what they are told. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createGateway } from '../../src/gateway/gateway.ts'
import { listen } from '../../src/gateway/node.ts'
import { startGateway } from '../support/gateway.ts'
import { openSocket, postText } from '../support/gateway-raw-client.ts'

let running: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  running = await startGateway()
})
afterAll(() => running.close())

const CHAT = '/v1/chat/completions'

function question(model: string, more: object = {}): string {
  return JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...more })
}

test('a stream reaches a client of HTTP/1.0, which knows no chunks and no trailers', async () => {
  const { socket, text, closed } = await openSocket(running.url)
  socket.write(postText(CHAT, question('demo/hermes', { stream: true }), [], '1.0'))
  await closed
  const [head = '', body] = text().split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 200/)
  expect(head).not.toMatch(/^(?:transfer-encoding|trailer):/im)
  expect(body).toMatch(/^data: [\s\S]*data: \[DONE\]\s*$/)
})

test.for([
  ['GET', CHAT, 'POST'],
  ['PUT', '/v1/models', 'GET, HEAD'],
  ['GET', '/api/show', 'POST'],
] as const)('%s %s is told which methods there are', async ([method, path, allow]) => {
  const response = await fetch(running.url + path, { method })
  expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
})

test.for([
  ['', 'the body is empty; send a JSON object'],
  ['[]', 'the body is no JSON object'],
  [
    '{"model": "demo/hermes",\n "messages": [}',
    'the body is not valid JSON from 2:15 on (line:column)',
  ],
  [Uint8Array.of(0x7b, 0xff), 'the body is not UTF-8'],
] as const)('a body that cannot be read: %j', async ([body, message]) => {
  const response = await fetch(running.url + CHAT, { method: 'POST', body })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { message, code: 'invalid_json' } })
})

test('a body that is compressed is refused as such', async () => {
  const body = gzipSync(question('demo/hermes'))
  const headers = { 'content-encoding': 'gzip' }
  const response = await fetch(running.url + CHAT, { method: 'POST', body, headers })
  expect([response.status, response.headers.get('x-toolglot-error')]).toEqual([415, 'packed_body'])
  const plain = { method: 'POST', body: question('demo/hermes') }
  const asIs = await fetch(running.url + CHAT, {
    ...plain,
    headers: { 'content-encoding': 'identity' },
  })
  expect(asIs.status).toBe(200)
})

test('what the list of models offers to clients of Gemini is there', async () => {
  const [listed, one] = await Promise.all(
    ['', '/demo/hermes'].map(async (path) => {
      const response = await fetch(`${running.url}/v1beta/models${path}`)
      return (await response.json()) as { models?: object[]; name?: string }
    }),
  )
  expect(one?.name).toBe('models/demo/hermes')
  expect(listed?.models).toContainEqual(one)
  const contents = [{ role: 'user', parts: [{ text: 'How long is this?' }] }]
  const counted = await fetch(`${running.url}/v1beta/models/demo/hermes:countTokens`, {
    method: 'POST',
    body: JSON.stringify({ contents }),
  })
  expect(counted.headers.get('x-toolglot-estimate')).toBe('true')
  expect(await counted.json()).toEqual({ totalTokens: expect.toSatisfy((count) => count > 3) })
  const embedding = { method: 'POST', body: '{}' }
  const nothing = await fetch(`${running.url}/v1beta/models/demo/hermes:embedContent`, embedding)
  expect(nothing.status).toBe(501)
})

test('a name that is no proper encoding is a model that is not there', async () => {
  const response = await fetch(`${running.url}/v1/models/%zz`)
  expect([response.status, response.headers.get('x-toolglot-error')]).toEqual([
    404,
    'unknown_model',
  ])
})

test.for([
  ['', 'the request names no model; GET /v1/models lists those there are'],
  ['gpt-9', 'there is no model "gpt-9"; GET /v1/models lists those there are'],
  [
    'demo/hermse',
    'there is no model "demo/hermse" (did you mean demo/hermes?); GET /v1/models lists those there are',
  ],
  [
    'openai/gpt-5',
    'there is no model "openai/gpt-5"; OpenAI is not set up: set OPENAI_API_KEY where the gateway runs, or add "openai" to its "providers"',
  ],
  [
    'ollama/qwen3',
    'there is no model "ollama/qwen3"; Ollama is not set up: add "ollama" to its "providers"',
  ],
])('the model %j, which is not there', async ([model = '', message]) => {
  const response = await fetch(running.url + CHAT, { method: 'POST', body: question(model) })
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: { message } })
})

test.for([
  ['/v1/v1/messages', '/v1/messages'],
  ['//v1/chat/completions', '/v1/chat/completions'],
  ['/v1/models/', '/v1/models'],
  ['/v1/api/chat', '/api/chat'],
  ['/v1beta/v1beta/interactions', '/v1beta/interactions'],
])('a base URL that leads to %s is recognised', async ([path, meant]) => {
  const { socket, text, closed } = await openSocket(running.url)
  socket.write(postText(path ?? '', '{}', ['connection: close']))
  await closed
  expect(text()).toContain(`there is nothing at ${path}; ${meant} was probably meant`)
})

test('a path without end is not repeated to the end', async () => {
  const response = await fetch(`${running.url}/${'a'.repeat(9000)}`)
  expect((await response.text()).length).toBeLessThan(400)
})

test('x-toolglot-rescue knows one word', async () => {
  const headers = { 'x-toolglot-rescue': 'no' }
  const body = question('demo/hermes')
  const response = await fetch(running.url + CHAT, { method: 'POST', body, headers })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('x-toolglot-rescue must be off, or left out')
})

test('a reply that cannot be written is given up', async () => {
  const body = { start() {}, pause() {}, resume() {}, cancel: vi.fn() }
  const reply = { status: 200, headers: { 'x-odd': 'two\nlines' }, body }
  const gateway = { ...createGateway({}, { env: {} }), handle: () => Promise.resolve(reply) }
  const server = await listen(gateway)
  await expect(fetch(server.url)).rejects.toThrow()
  expect(body.cancel).toHaveBeenCalledOnce()
  await server.shutdown(0)
})
