/** What people and old programs send by mistake or out of habit, and what they are told. */
import { afterAll, beforeAll, expect, test } from 'vitest'
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
