/** Several deployments of one model: who is asked, in both lanes, whole and streamed. */
import { describe, expect, test } from 'vitest'
import type { ModelConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { fakeProviders, postRequest, sseResponse } from '../support/gateway-send.ts'

const PATHS = [
  ['pass', '/v1/chat/completions'],
  ['translate', '/v1/messages'],
] as const

interface Deployments {
  readonly gateway: Gateway
  /** The deployments that were asked, in order. */
  readonly asked: string[]
  /** Deployments that refuse whatever they are asked. */
  readonly broken: Set<string>
}

function deployments(settings: Omit<ModelConfig, 'chain'>): Deployments {
  const asked: string[] = []
  const broken = new Set<string>()
  const { send } = fakeProviders(({ url, body }) => {
    const name = new URL(url).hostname.split('.')[0] ?? ''
    asked.push(name)
    if (broken.has(name)) return Response.json({ error: { message: 'down' } }, { status: 503 })
    const message = { role: 'assistant', content: 'Here.' }
    if (body['stream'] !== true) {
      return Response.json({ choices: [{ message, finish_reason: 'stop' }] })
    }
    return sseResponse({ choices: [{ index: 0, delta: message, finish_reason: 'stop' }] }, '[DONE]')
  })
  const provider = (name: string) => {
    return { provider: 'openai-compatible', baseUrl: `http://${name}.test/v1`, apiKey: 'k' }
  }
  const config = {
    demo: false,
    providers: { one: provider('one'), two: provider('two'), three: provider('three') },
    models: { big: { chain: [{ model: 'one/m', weight: 2 }, 'two/m', 'three/m'], ...settings } },
  }
  return { gateway: createGateway(config, { send, env: {} }), asked, broken }
}

function request(path: string, stream: boolean, text = 'Hello', more: object = {}): Request {
  const messages = [{ role: 'user', content: text }]
  return postRequest(path, { model: 'big', messages, stream, max_tokens: 10, ...more })
}

async function ask({ gateway }: Deployments, sent: Request): Promise<string> {
  const response = await gateway.fetch(sent)
  expect(response.status).toBe(200)
  return response.text()
}

describe.each(PATHS)('%s lane', (_, path) => {
  test.each([false, true])('each in turn, by weight (streamed: %s)', async (stream) => {
    const service = deployments({ balance: 'weighted' })
    for (let times = 0; times < 8; times++) await ask(service, request(path, stream))
    const counts = ['one', 'two', 'three'].map(
      (name) => service.asked.filter((one) => one === name).length,
    )
    expect(counts).toEqual([4, 2, 2])
  })

  test.each([false, true])('the next one when one fails (streamed: %s)', async (stream) => {
    const service = deployments({ balance: 'weighted', retries: 0 })
    service.broken.add('one')
    for (let times = 0; times < 6; times++) await ask(service, request(path, stream))
    expect(service.asked.filter((name) => name === 'one')).toHaveLength(1)
  })

  test.each([false, true])('nobody stays busy after its replies (streamed: %s)', async (stream) => {
    const service = deployments({ balance: 'least-busy' })
    for (let times = 0; times < 5; times++) {
      await ask(service, request(path, stream, 'Hello', { model: 'one/m' }))
    }
    service.asked.length = 0
    await ask(service, request(path, stream))
    expect(service.asked).toEqual(['one'])
  })

  test('a conversation stays with one, which is asked again for each turn', async () => {
    const service = deployments({ sticky: true })
    for (let text = 0; text < 12; text++) {
      service.asked.length = 0
      const first = { role: 'user', content: `What is on page ${text}?` }
      const more = [
        { role: 'assistant', content: 'A map.' },
        { role: 'user', content: 'And on the next?' },
      ]
      await ask(service, request(path, false, first.content))
      await ask(service, request(path, true, '', { messages: [first, ...more] }))
      expect(new Set(service.asked).size).toBe(1)
    }
  })

  test('conversations are spread, and go elsewhere while theirs is down', async () => {
    const service = deployments({ sticky: true, retries: 0 })
    for (let text = 0; text < 30; text++) await ask(service, request(path, false, `Page ${text}?`))
    expect(new Set(service.asked)).toEqual(new Set(['one', 'two', 'three']))
    const home = service.asked[0] ?? ''
    service.broken.add(home)
    service.asked.length = 0
    await ask(service, request(path, false, 'Page 0?'))
    expect(service.asked).toHaveLength(2)
    expect(service.asked[0]).toBe(home)
  })
})

test('a client may name the conversation itself', async () => {
  const service = deployments({ sticky: true })
  for (let text = 0; text < 12; text++) {
    const named = { prompt_cache_key: 'session-7' }
    await ask(service, request('/v1/chat/completions', false, `Page ${text}?`, named))
  }
  expect(new Set(service.asked).size).toBe(1)
})
