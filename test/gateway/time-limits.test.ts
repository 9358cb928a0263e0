/** Providers that never come to an end: of a reply, of a stream, or of a connection after the end of a stream. */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import type { ProviderConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type ListeningGateway, listen } from '../../src/gateway/node.ts'
import { createUndiciSend, type UndiciSend } from '../../src/gateway/undici-send.ts'
import { CONTENT_TYPES, streamBytes } from '../../src/testing/upstream-reply.ts'
import { type Asker, ask, askerNamed, eventsIn, replyIn } from '../support/gateway-askers.ts'
import { type RawUpstream, startRawUpstream } from '../support/gateway-raw-upstream.ts'
import { type ServiceId, scriptedModels, servicesAt } from '../support/gateway-services.ts'

const TOTAL_MS = 700

let upstream: RawUpstream
let sender: UndiciSend
/** One with little time for a reply, one with all the time in the world. */
let hasty: { readonly gateway: Gateway; readonly server: ListeningGateway }
let patient: typeof hasty

beforeAll(async () => {
  upstream = await startRawUpstream()
  sender = createUndiciSend()
  hasty = await open({ timeouts: { totalMs: TOTAL_MS } })
  patient = await open({})
})
afterAll(async () => {
  await Promise.all([hasty.server.shutdown(0), patient.server.shutdown(0)])
  await sender.close()
  await upstream.close()
})

async function open(more: Partial<ProviderConfig>): Promise<typeof hasty> {
  const config = { providers: servicesAt(upstream.url, more), models: scriptedModels() }
  const gateway = createGateway(config, { send: sender.send, env: {} })
  return { gateway, server: await listen(gateway) }
}

const STORY = 'Once upon a time, so they say, there was. '

function framesOf(service: ServiceId, text = STORY): Uint8Array[] {
  const reply = {
    id: 'r',
    model: 'm',
    message: { role: 'assistant', content: text },
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 2 },
    issues: [],
  } as const
  return streamBytes(getDialect(service), reply, 8)
}

function requestFor(service: ServiceId, hasTools = false): ChatRequest {
  return {
    model: `my-${service}`,
    messages: [{ role: 'user', content: 'Tell me a story.' }],
    ...(hasTools && { tools: [{ name: 'get_time', inputSchema: { type: 'object' } }] }),
  }
}

function begin(response: ServerResponse, service: ServiceId): void {
  response.writeHead(200, { 'content-type': CONTENT_TYPES[getDialect(service).framing] })
}

type Lane = readonly [client: string, service: ServiceId, hasTools: boolean]
const LANES: readonly Lane[] = [
  ['openai-chat', 'openai-chat', false],
  ['openai-chat', 'openai-chat', true],
  ['openai-responses', 'openai-responses', false],
  ['anthropic', 'anthropic', true],
  ['ollama', 'ollama', false],
  ['gemini', 'gemini', false],
  ['openai-chat', 'anthropic', false],
  ['anthropic', 'openai-chat', true],
  ['gemini without alt=sse', 'bedrock', false],
]

describe('totalMs', () => {
  test.for(LANES)(
    'a stream that drips for ever: %s client, %s provider, tools: %s',
    async (lane) => {
      const [id, service, hasTools] = lane
      const client = askerNamed(id)
      const frames = framesOf(service, STORY.repeat(200))
      const left = new Promise<void>((resolve) => {
        upstream.answer(async (response) => {
          response.on('close', () => resolve())
          begin(response, service)
          for (let at = 0; !response.destroyed; at = at < frames.length - 20 ? at + 1 : at) {
            response.write(frames[at] ?? '')
            await sleep(20)
          }
        })
      })
      const answer = await ask(hasty.server.url, client, requestFor(service, hasTools), true)
      expect(answer.status).toBe(200)
      const last = eventsIn(answer.text, client).at(-1)
      expect(last?.type).toBe('error')
      expect(answer.text).toMatch(/within \d+ ms/)
      await left
    },
  )

  test.for(LANES)('a whole reply that drips: %s client, %s provider', async ([id, service]) => {
    const client = askerNamed(id)
    upstream.answer(async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      while (!response.destroyed) {
        response.write('  ')
        await sleep(20)
      }
    })
    const answer = await ask(hasty.server.url, client, requestFor(service), false)
    expect(answer.status).toBe(504)
    expect(answer.headers.get('x-toolglot-error')).toBe('timeout')
    expect(JSON.parse(answer.text)).toHaveProperty('error')
  })

  test('nothing of it is left', async () => {
    await expect.poll(() => hasty.gateway.pending(), { timeout: 5000 }).toBe(0)
  })
})

describe('a stream that has ended, on a connection that has not', () => {
  async function askOnce(client: Asker, service: ServiceId, hasTools = false): Promise<string> {
    const answer = await ask(patient.server.url, client, requestFor(service, hasTools), true)
    return String(replyIn(answer, client, true).message.content)
  }

  test.for(LANES)('%s client, %s provider, tools: %s', async ([id, service, hasTools]) => {
    const left = new Promise<void>((resolve) => {
      upstream.answer((response) => {
        response.on('close', () => resolve())
        begin(response, service)
        response.write(Buffer.concat(framesOf(service)))
      })
    })
    expect(await askOnce(askerNamed(id), service, hasTools)).toBe(STORY)
    // The provider is left soon, and not only when it would have to say something again.
    await left
  })

  test('is used again when it ends soon', async () => {
    const connections = new Set<unknown>()
    upstream.answer(async (response) => {
      connections.add(response.socket)
      begin(response, 'openai-chat')
      response.write(Buffer.concat(framesOf('openai-chat')))
      await sleep(5)
      response.end()
    })
    for (const id of ['openai-chat', 'anthropic']) {
      connections.clear()
      for (let count = 0; count < 3; count++) {
        await askOnce(askerNamed(id), 'openai-chat')
        await expect.poll(() => connections.size).toBe(1)
        await sleep(50)
      }
    }
  })

  test('a reply without its last frame ends a little later', async () => {
    upstream.answer((response) => {
      begin(response, 'openai-chat')
      response.write(Buffer.concat(framesOf('openai-chat').slice(0, -1)))
    })
    const clients = ['openai-chat', 'anthropic'].map(askerNamed)
    const texts = await Promise.all(clients.map((client) => askOnce(client, 'openai-chat')))
    expect(texts).toEqual([STORY, STORY])
  })

  test('one of several answers is not the end', async () => {
    const chunk = (index: number, delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({ choices: [{ index, delta, finish_reason: finish }] })}\n\n`
    upstream.answer(async (response) => {
      begin(response, 'openai-chat')
      response.write(chunk(0, { content: 'One.' }, 'stop'))
      // Longer than a complete reply is waited for.
      await sleep(6000)
      response.end(`${chunk(1, { content: 'Two.' }, 'stop')}data: [DONE]\n\n`)
    })
    const client = askerNamed('openai-chat')
    const body = JSON.stringify({ ...client.body(requestFor('openai-chat'), true), n: 2 })
    const response = await fetch(`${patient.server.url}/v1/chat/completions`, {
      method: 'POST',
      body,
    })
    expect(await response.text()).toContain('Two.')
  })
})
