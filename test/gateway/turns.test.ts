/** What a client's dialect cannot carry comes back to the provider with the next turn. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFrame } from '../../src/client/frames.ts'
import type { ChatRequest, ChatResponse } from '../../src/core/chat.ts'
import type { Frame } from '../../src/core/dialect.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Tool } from '../../src/core/model.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type ListeningGateway, listen } from '../../src/gateway/node.ts'
import { createUndiciSend, type UndiciSend } from '../../src/gateway/undici-send.ts'
import { streamBytes } from '../../src/testing/upstream-reply.ts'
import { type Asker, ask, askerNamed, type Fetch, replyIn } from '../support/gateway-askers.ts'
import { type RawUpstream, startRawUpstream } from '../support/gateway-raw-upstream.ts'
import { type ServiceId, scriptedModels, servicesAt } from '../support/gateway-services.ts'

const SIGNATURE = 'c2lnbmF0dXJlLTQ3MTE='
const clock: Tool = {
  name: 'get_time',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
}

/** A turn of each provider that has something to be given back, whole and as it is streamed. */
interface SignedTurn {
  readonly service: ServiceId
  readonly whole: JsonObject
  readonly frames?: readonly Frame[]
}

function named(event: string, data: JsonObject): Frame {
  return { event, data: JSON.stringify({ type: event, ...data }) }
}

function plain(data: JsonObject, event?: string): Frame {
  return { ...(event !== undefined && { event }), data: JSON.stringify(data) }
}

const block = (index: number, delta: JsonObject): Frame =>
  named('content_block_delta', { index, delta })

const TURNS: readonly SignedTurn[] = [
  {
    service: 'anthropic',
    whole: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: SIGNATURE },
        { type: 'tool_use', id: 'toolu_1', name: 'get_time', input: { city: 'Oslo' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 2 },
    },
    frames: [
      named('message_start', {
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 0 },
        },
      }),
      named('content_block_start', {
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      }),
      block(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      block(0, { type: 'signature_delta', signature: SIGNATURE }),
      named('content_block_stop', { index: 0 }),
      named('content_block_start', {
        index: 1,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_time', input: {} },
      }),
      block(1, { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' }),
      named('content_block_stop', { index: 1 }),
      named('message_delta', {
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { output_tokens: 2 },
      }),
      named('message_stop', {}),
    ],
  },
  {
    service: 'bedrock',
    whole: {
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Hm.', signature: SIGNATURE } } },
            { toolUse: { toolUseId: 'tooluse_1', name: 'get_time', input: { city: 'Oslo' } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      metrics: { latencyMs: 1 },
    },
    frames: [
      plain({ role: 'assistant' }, 'messageStart'),
      plain(
        { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm.' } } },
        'contentBlockDelta',
      ),
      plain(
        { contentBlockIndex: 0, delta: { reasoningContent: { signature: SIGNATURE } } },
        'contentBlockDelta',
      ),
      plain({ contentBlockIndex: 0 }, 'contentBlockStop'),
      plain(
        {
          contentBlockIndex: 1,
          start: { toolUse: { toolUseId: 'tooluse_1', name: 'get_time' } },
        },
        'contentBlockStart',
      ),
      plain(
        { contentBlockIndex: 1, delta: { toolUse: { input: '{"city":"Oslo"}' } } },
        'contentBlockDelta',
      ),
      plain({ contentBlockIndex: 1 }, 'contentBlockStop'),
      plain({ stopReason: 'tool_use' }, 'messageStop'),
      plain(
        { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, metrics: { latencyMs: 1 } },
        'metadata',
      ),
    ],
  },
  {
    service: 'gemini',
    whole: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Hm.', thought: true },
              {
                functionCall: { name: 'get_time', args: { city: 'Oslo' } },
                thoughtSignature: SIGNATURE,
              },
            ],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
      modelVersion: 'm',
      responseId: 'r',
    },
  },
  {
    service: 'openai-responses',
    whole: {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'Hm.' }],
          encrypted_content: SIGNATURE,
        },
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_1',
          name: 'get_time',
          arguments: '{"city":"Oslo"}',
          status: 'completed',
        },
      ],
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    },
  },
]

let upstream: RawUpstream
let sender: UndiciSend
let gateway: Gateway
let server: ListeningGateway
let webGateway: Gateway

beforeAll(async () => {
  upstream = await startRawUpstream()
  sender = createUndiciSend()
  const config = { providers: servicesAt(upstream.url), models: scriptedModels() }
  gateway = createGateway(config, { send: sender.send, env: {} })
  server = await listen(gateway)
  webGateway = createGateway(config, { env: {} })
})
afterAll(async () => {
  await server.shutdown(0)
  await sender.close()
  await upstream.close()
})

/** The same turn with another signature, which nobody else has left behind. */
function resigned(turn: SignedTurn, signature: string, city = 'Oslo'): SignedTurn {
  const text = JSON.stringify(turn).replaceAll(SIGNATURE, signature).replaceAll('Oslo', city)
  return JSON.parse(text)
}

let count = 0
const newSignature = (): string => btoa(`signature-${++count}`)

function play({ service, whole, frames }: SignedTurn): void {
  const dialect = getDialect(service)
  const { framing } = dialect
  upstream.answer((response, { path, text }) => {
    // The gateway also asks for the list of models.
    if (text === '') return void response.writeHead(404).end()
    const streamed = /stream/i.test(path) || JSON.parse(text).stream === true
    if (!streamed) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
      return
    }
    const bytes = frames
      ? frames.map((frame) => writeFrame(framing, frame))
      : streamBytes(dialect, dialect.decodeResponse(whole))
    response.writeHead(200, {
      'content-type':
        framing === 'aws' ? 'application/vnd.amazon.eventstream' : 'text/event-stream',
    })
    response.end(Buffer.concat(bytes))
  })
}

/** The next question of a client that knows no more than it was told. */
function nextTurn(request: ChatRequest, { message }: ChatResponse): ChatRequest {
  const { toolCalls = [], content } = message
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', content, toolCalls },
      {
        role: 'tool',
        content: '',
        toolResults: toolCalls.map(({ id, name }) => ({ callId: id, name, content: '12:00' })),
      },
    ],
  }
}

function requestFor(service: ServiceId): ChatRequest {
  const messages = [{ role: 'user', content: 'What time is it?' }] as const
  return { model: `my-${service}`, messages, tools: [clock] }
}

const CLIENTS: readonly Asker[] = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'ollama',
  'gemini',
].map(askerNamed)
const ways: Readonly<Record<string, () => Fetch>> = {
  'node:http': () => fetch,
  'gateway.fetch': () => (url, init) => webGateway.fetch(new Request(url, init)),
}

const ROWS = TURNS.flatMap((turn) =>
  CLIENTS.filter(({ id }) => id !== turn.service).flatMap((client) =>
    Object.keys(ways).map((way) => [turn.service, client.id, way, turn, client] as const),
  ),
)

describe.each(ROWS)('a signature of %s behind an %s client over %s', (_, __, way, turn, client) => {
  test.for([false, true])('comes back; streamed: %s', async (streamed) => {
    const signature = newSignature()
    play(resigned(turn, signature))
    const options = { fetch: ways[way]?.() }
    const request = requestFor(turn.service)
    const answer = await ask(server.url, client, request, streamed, options)
    const reply = replyIn(answer, client, streamed)
    expect(reply.message.toolCalls).toHaveLength(1)
    const next = await ask(server.url, client, nextTurn(request, reply), streamed, options)
    expect(next.status, next.text).toBe(200)
    const body = upstream.requests.at(-1)?.text ?? ''
    const { messages } = getDialect(turn.service).decodeRequest(JSON.parse(body))
    const assistant = messages.find(({ role }) => role === 'assistant')
    expect(JSON.stringify(assistant)).toContain(signature)
    expect(assistant?.toolCalls).toMatchObject([{ name: 'get_time', arguments: { city: 'Oslo' } }])
  })
})

test('two conversations whose calls have the same id are told apart', async () => {
  const [turn] = TURNS
  if (!turn) throw new Error('there is no turn')
  const client = askerNamed('openai-chat')
  const request = requestFor(turn.service)
  const signatures = [newSignature(), newSignature()]
  const replies: ChatResponse[] = []
  for (const [at, signature] of signatures.entries()) {
    play(resigned(turn, signature, ['Rome', 'Lima'][at]))
    replies.push(replyIn(await ask(server.url, client, request, false), client, false))
  }
  for (const [at, reply] of replies.entries()) {
    await ask(server.url, client, nextTurn(request, reply), false)
    expect(upstream.requests.at(-1)?.text).toContain(signatures[at])
  }
})

describe('ids that a client may not see', () => {
  const ID = 'functions.get_time:0'
  const kimi: SignedTurn = {
    service: 'openai-chat',
    whole: {
      id: 'c',
      object: 'chat.completion',
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: ID,
                type: 'function',
                function: { name: 'get_time', arguments: '{"city":"Oslo"}' },
              },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    },
  }

  test.for([false, true])(
    'fit its API, and are the provider’s own again; streamed: %s',
    async (streamed) => {
      play(kimi)
      const client = askerNamed('anthropic')
      let request = requestFor('openai-chat')
      const seen: string[] = []
      for (let turn = 0; turn < 3; turn++) {
        const answer = await ask(server.url, client, request, streamed)
        expect(answer.text).not.toContain(ID)
        const reply = replyIn(answer, client, streamed)
        seen.push(...(reply.message.toolCalls ?? []).map(({ id }) => id))
        request = nextTurn(request, reply)
      }
      expect(seen).toHaveLength(3)
      expect(new Set(seen).size).toBe(3)
      for (const id of seen) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
      const { messages } = JSON.parse(upstream.requests.at(-1)?.text ?? '')
      const [first, result] = messages.slice(1)
      expect(first.tool_calls[0].id).toBe(ID)
      expect(result.tool_call_id).toBe(ID)
      for (const [at, message] of messages.entries()) {
        if (message.role === 'tool') {
          expect(messages[at - 1].tool_calls[0].id).toBe(message.tool_call_id)
        }
      }
    },
  )
})

test.for(
  CLIENTS.flatMap((client) =>
    TURNS.map((turn) => [client.id, turn.service, client, turn] as const),
  ),
)('reasoning that an %s client asks for reaches %s', async ([id, service, client, turn]) => {
  play(turn)
  const request = requestFor(service)
  const reasoning = { effort: 'high' } as const
  await ask(server.url, client, { ...request, reasoning }, false)
  const body = JSON.parse(upstream.requests.at(-1)?.text ?? '')
  const { reasoning: sent } = getDialect(service).decodeRequest(body)
  expect(sent, id).toBeDefined()
  expect(sent?.enabled).not.toBe(false)
})
