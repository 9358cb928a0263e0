/** Providers that fail again and again: breakers, chains of providers, waiting times, and a shutdown. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { monotonicNow } from '../../src/client/clock.ts'
import type { ChatRequest } from '../../src/core/chat.ts'
import type { GatewayConfig, ModelConfig } from '../../src/gateway/config.ts'
import type { GatewayObserver, Outcome } from '../../src/gateway/observer.ts'
import { createMemoryState } from '../../src/gateway/state/memory-state.ts'
import type { Fault } from '../../src/testing/faults.ts'
import { ASKERS, ask, askerNamed, eventsIn, replyIn } from '../support/gateway-askers.ts'
import { openReply } from '../support/gateway-raw-client.ts'
import { startRawUpstream } from '../support/gateway-raw-upstream.ts'
import { type GatewayRig, startRig } from '../support/gateway-services.ts'

const rigs: GatewayRig[] = []
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()))
})

const chat = askerNamed('openai-chat')
const request: ChatRequest = { model: 'best', messages: [{ role: 'user', content: 'Hello?' }] }

interface Chain {
  /** Two providers of one scripted server: `bad` and `good`. */
  readonly rig: GatewayRig
  readonly outcomes: Outcome[]
}

/** A model `best` with a chain of two; each has a server of its own. */
async function openChain(model: Partial<ModelConfig> = {}): Promise<Chain & { good: GatewayRig }> {
  const good = await startRig()
  const outcomes: Outcome[] = []
  const observer: GatewayObserver = {
    begin: () => ({ end: (outcome) => void outcomes.push(outcome) }),
  }
  const config = (url: string): GatewayConfig => ({
    providers: {
      bad: { provider: 'openai-compatible', baseUrl: `${url}/openai-chat` },
      good: { provider: 'anthropic', baseUrl: `${good.upstream.url}/anthropic`, apiKey: 'k' },
    },
    models: {
      best: { chain: ['bad/scripted', 'good/scripted'], retries: 0, ...model },
      alone: { chain: ['bad/scripted'], retries: 0, ...model },
    },
  })
  const rig = await startRig({ config, observers: [observer] })
  rigs.push(rig, good)
  good.upstream.play({ reply: 'From the other one.' })
  return { rig, good, outcomes }
}

const STORMS: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 429, retryAfter: 60 },
  { kind: 'status', status: 529 },
  { kind: 'status', status: 401 },
  { kind: 'cut' },
  { kind: 'html' },
  { kind: 'error-in-stream' },
]

describe('the next provider answers, and the broken one is left alone', () => {
  test.for(STORMS)('$kind $status', async (fault) => {
    const { rig, good, outcomes } = await openChain()
    // Nothing can be seen of the reply before it breaks.
    rig.upstream.play({ fault, reply: '' })
    for (const streamed of [false, true]) {
      for (let count = 0; count < 5; count++) {
        const answer = await ask(rig.url, chat, request, streamed)
        expect(replyIn(answer, chat, streamed).message.content).toBe('From the other one.')
        expect(answer.headers.get('x-toolglot-model')).toBe('good/scripted')
      }
    }
    expect(rig.upstream.requests).toHaveLength(1)
    expect(good.upstream.requests).toHaveLength(10)
    expect(outcomes.map(({ fallbacks }) => fallbacks)).toEqual([1, ...Array(9).fill(0)])
    expect(outcomes.map(({ error }) => error)).toEqual(Array(10).fill(undefined))
  })

  test('until it works again', async () => {
    const { rig } = await openChain({ cooldownMs: 200, maxCooldownMs: 200 })
    rig.upstream.play({ fault: { kind: 'status', status: 500 } }, { reply: 'Back again.' })
    const contents: unknown[] = []
    for (let count = 0; count < 2; count++) {
      const answer = await ask(rig.url, chat, request, false)
      contents.push(replyIn(answer, chat, false).message.content)
      await sleep(300)
    }
    expect(contents).toEqual(['From the other one.', 'Back again.'])
  })

  test('a stream that breaks after it was seen counts as a failure of its provider', async () => {
    const { rig, good } = await openChain()
    const reply = 'Down the hill, past the old mill, and then along the water. '.repeat(5)
    rig.upstream.play({ fault: { kind: 'cut' }, reply })
    const broken = await ask(rig.url, chat, request, true)
    expect(eventsIn(broken.text, chat).at(-1)?.type).toBe('error')
    const next = await ask(rig.url, chat, request, true)
    expect(replyIn(next, chat, true).message.content).toBe('From the other one.')
    expect(good.upstream.requests).toHaveLength(1)
  })

  test('the same holds for an error that the provider tells in its stream', async () => {
    const { rig, outcomes } = await openChain()
    const reply = 'Down the hill, past the old mill, and then along the water. '.repeat(5)
    rig.upstream.play({ fault: { kind: 'error-in-stream' }, reply })
    const broken = await ask(rig.url, chat, request, true)
    expect(broken.text.match(/"error":/g)).toHaveLength(1)
    expect(outcomes.at(-1)).toMatchObject({ status: 200, error: 'overloaded' })
    const next = await ask(rig.url, chat, request, true)
    expect(next.headers.get('x-toolglot-model')).toBe('good/scripted')
  })

  test('a question that is wrong is not asked elsewhere', async () => {
    const { rig, good } = await openChain()
    rig.upstream.play({ fault: { kind: 'status', status: 400, message: 'no such field' } })
    const answer = await ask(rig.url, chat, request, false)
    expect(answer.status).toBe(400)
    expect(good.upstream.requests).toHaveLength(0)
    rig.upstream.play({ reply: 'Fine.' })
    expect((await ask(rig.url, chat, request, false)).status).toBe(200)
  })
})

describe('when nobody can answer', () => {
  test.for(ASKERS.map((client) => [client.id, client] as const))(
    'a storm of 429 keeps the time to wait: %s',
    async ([, client]) => {
      const { rig, good } = await openChain()
      const limited = { kind: 'status', status: 429, retryAfter: 30 } as const
      rig.upstream.play({ fault: limited })
      good.upstream.play({ fault: { ...limited, retryAfter: 40 } })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => ask(rig.url, client, request, at % 2 === 1)),
      )
      for (const { status, headers } of answers) {
        expect(status).toBe(429)
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(30)
      }
    },
  )

  test.for([
    ['retry-after', '3600'],
    ['retry-after', '99999999999999'],
    ['retry-after', 'Fri, 31 Dec 2100 00:00:00 GMT'],
    ['retry-after-ms', '99999999'],
    ['x-ratelimit-reset-requests', '9h'],
    ['anthropic-ratelimit-requests-reset', '2100-12-31T00:00:00Z'],
  ] as const)('nobody waits longer than maxCooldownMs: %s %s', async ([name, value]) => {
    const upstream = await startRawUpstream((response) => {
      response.writeHead(429, { 'content-type': 'application/json', [name]: value }).end('{}')
    })
    const config = (): GatewayConfig => ({
      providers: { bad: { provider: 'openai-compatible', baseUrl: upstream.url } },
      models: { best: { chain: ['bad/m'], retries: 0, cooldownMs: 1, maxCooldownMs: 2000 } },
    })
    const state = createMemoryState()
    const rig = await startRig({ config, state })
    rigs.push(rig)
    for (const client of [chat, askerNamed('anthropic')]) {
      const { status, headers } = await ask(rig.url, client, request, false)
      expect([status, headers.get('retry-after')]).toEqual([429, '2'])
    }
    // It has failed, and is left alone for no longer than that.
    const limits = { cooldownMs: 1, maxCooldownMs: 2000, now: monotonicNow }
    const { cooldownMs } = state.circuits.circuitFor('bad', 'm', limits).health()
    expect(cooldownMs).toBeLessThanOrEqual(2000)
    await upstream.close()
  })

  test('one that asks for a moment is asked again', async () => {
    const { rig } = await openChain({ retries: 1 })
    rig.upstream.play({ fault: { kind: 'status', status: 429, retryAfter: 0 } }, { reply: 'Now.' })
    const answer = await ask(rig.url, chat, { ...request, model: 'alone' }, false)
    expect(replyIn(answer, chat, false).message.content).toBe('Now.')
    expect(rig.upstream.requests).toHaveLength(2)
  })

  test('a provider that is not there', async () => {
    const { rig } = await openChain()
    await rig.upstream.close()
    for (const streamed of [false, true]) {
      const { status, text } = await ask(rig.url, chat, { ...request, model: 'alone' }, streamed)
      expect(status).toBe(502)
      expect(text).toContain('transport')
    }
  })
})

describe('a shutdown', () => {
  test('lets streams finish, refuses what is new, and closes', async () => {
    const rig = await startRig()
    const story = 'Down the hill, past the old mill, and then along the water. '.repeat(4)
    rig.upstream.play({ fault: { kind: 'drip', pauseMs: 20, pieces: 40 }, reply: story })
    const body = JSON.stringify(chat.body({ ...request, model: 'my-openai-chat' }, true))
    const open = await openReply(`${rig.url}/v1/chat/completions`, body)
    await expect.poll(() => open.text(), { timeout: 5000 }).not.toBe('')
    const down = rig.listening.shutdown(20_000, 0)
    const late = async (): Promise<Response> => {
      const url = `${rig.url}/v1/chat/completions`
      const response = await rig.gateway.fetch(new Request(url, { method: 'POST', body }))
      await response.text()
      return response
    }
    await expect.poll(async () => (await late()).status, { timeout: 10_000 }).toBe(503)
    expect((await late()).headers.get('retry-after')).toBe('1')
    await expect(fetch(`${rig.url}/health`)).rejects.toThrow()
    expect(await open.ended).toBe(true)
    const answer = { status: 200, headers: new Headers(), text: open.text() }
    expect(replyIn(answer, chat, true).message.content).toBe(story)
    await down
    await rig.close()
  })

  test('does not wait for ever', async () => {
    const rig = await startRig()
    const story = 'Down the hill. '.repeat(20)
    rig.upstream.play({ fault: { kind: 'drip', pauseMs: 500 }, reply: story })
    const body = JSON.stringify(chat.body({ ...request, model: 'my-anthropic' }, true))
    const asked = openReply(`${rig.url}/v1/chat/completions`, body).catch(() => undefined)
    await expect.poll(() => rig.upstream.requests.length, { timeout: 5000 }).toBe(1)
    const at = performance.now()
    await rig.listening.shutdown(100)
    expect(performance.now() - at).toBeLessThan(5000)
    await (await asked)?.ended
    await expect.poll(() => rig.upstream.pending(), { timeout: 5000 }).toBe(0)
    await rig.close()
  })
})
