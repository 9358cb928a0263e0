/** Calls that a model wrote before it had ended its reasoning, which the server keeps apart. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatResponse } from '../../src/core/chat.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message } from '../../src/core/model.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { type Rescue, type RescueIssue, rescueFetch } from '../../src/fetch.ts'
import { randomChunks } from '../../src/testing/chunks.ts'
import { startUpstream, type Upstream } from '../../src/testing/upstream.ts'
import { streamBytes } from '../../src/testing/upstream-reply.ts'
import { clients } from './clients.ts'
import { bytesOf, REQUESTS, readFrames, rescue, sse, URLS, type WireId } from './replies.ts'

const CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</tool_call>'
const call = { name: 'get_weather', arguments: { city: 'Bergen' } }
const THOUGHT = `They mean Bergen, of course, and the weather there.\n${CALL}`
const WIRES = Object.keys(URLS) as WireId[]

function replyOf(
  message: Partial<Message>,
  finishReason: ChatResponse['finishReason'] = 'stop',
): ChatResponse {
  const whole = { role: 'assistant', content: '', ...message } as const
  const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
  return { id: 'r1', model: 'm', message: whole, finishReason, usage, issues: [] }
}

const OWN = {
  id: 'call_12345',
  name: 'get_weather',
  arguments: { city: 'Oslo' },
  origin: 'native',
} as const

/** Replies with what becomes of their reasoning. */
const CASES: readonly (readonly [
  name: string,
  reply: ChatResponse,
  calls: number,
  issue?: string,
])[] = [
  ['the call', replyOf({ reasoning: THOUGHT }), 1],
  ['two calls', replyOf({ reasoning: `${CALL}\n${CALL}` }), 2],
  ['the call and words', replyOf({ reasoning: `${THOUGHT}\nSo be it.` }), 1],
  [
    'cut off inside the call',
    replyOf({ reasoning: THOUGHT.slice(0, -30) }, 'length'),
    0,
    'truncated-call',
  ],
  [
    'a draft before text',
    replyOf({ reasoning: THOUGHT, content: 'It rains there.' }),
    0,
    'reasoning-call',
  ],
  [
    'a draft before a call',
    replyOf({ reasoning: THOUGHT, toolCalls: [OWN] }, 'tool-calls'),
    0,
    'reasoning-call',
  ],
  [
    'a draft before a call in the text',
    replyOf({ reasoning: THOUGHT, content: CALL }),
    1,
    'reasoning-call',
  ],
  ['bare JSON', replyOf({ reasoning: JSON.stringify(call) }), 0, 'reasoning-call'],
  ['no call', replyOf({ reasoning: 'They mean Bergen < Oslo.', content: 'It rains there.' }), 0],
]

interface Outcome {
  readonly message: Message
  readonly finishReason: string
  readonly rescues: readonly Rescue[]
  readonly issues: readonly RescueIssue[]
  readonly body: string
}

function typeOf(wire: WireId): string {
  return getDialect(wire).framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
}

async function mended(
  wire: WireId,
  pieces: readonly (string | Uint8Array)[],
  type: string,
): Promise<Omit<Outcome, 'message' | 'finishReason'>> {
  const rescues: Rescue[] = []
  const issues: RescueIssue[] = []
  const body = await rescue(wire, pieces, {
    type,
    onRescue: (one) => rescues.push(one),
    onIssue: (one) => issues.push(one),
    url:
      type === 'application/json' ? URLS[wire].replace('streamGenerate', 'generate') : URLS[wire],
  })
  return { rescues, issues, body }
}

async function whole(wire: WireId, reply: ChatResponse): Promise<Outcome> {
  const sent = JSON.stringify(getDialect(wire).encodeResponse(reply))
  const got = await mended(wire, [sent], 'application/json')
  return { ...getDialect(wire).decodeResponse(JSON.parse(got.body)), ...got } as Outcome
}

async function streamed(wire: WireId, pieces: readonly Uint8Array[]): Promise<Outcome> {
  const got = await mended(wire, pieces, typeOf(wire))
  const decoder = getDialect(wire).createStreamDecoder()
  for (const data of readFrames(got.body)) decoder.push({ data: JSON.stringify(data) })
  const last = decoder.end().at(-1)
  if (last?.type !== 'finish') throw new Error(`not finished: ${JSON.stringify(last)}`)
  return { ...last.response, ...got } as Outcome
}

const shown = ({ message: { content, reasoning, toolCalls = [] }, finishReason }: Outcome) => ({
  content,
  reasoning,
  calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
  finishReason,
})

describe.each(WIRES)('%s', (wire) => {
  it.for(CASES)('%s', async ([, reply, calls, issue]) => {
    const outcome = await whole(wire, reply)
    const native = reply.message.toolCalls ?? []
    const all = native.length + calls
    expect(outcome.message.toolCalls ?? []).toHaveLength(all)
    expect(outcome.rescues).toHaveLength(calls)
    expect(outcome.issues.map((one) => one.issue.code)).toEqual(issue ? [issue] : [])
    expect(outcome.finishReason).toBe(all > 0 ? 'tool-calls' : reply.finishReason)
    expect(outcome.message.reasoning).toBe(reply.message.reasoning)

    for (const length of [3, 11, 1000]) {
      const bytes = streamBytes(getDialect(wire), reply, length)
      const text = Buffer.from(bytesOf(bytes)).toString('latin1')
      const cuts = [bytes, [bytesOf(bytes)], randomChunks(text, Math.random).map(latin1)]
      for (const pieces of cuts) {
        const got = await streamed(wire, pieces)
        expect(shown(got)).toEqual(shown(outcome))
        expect(got.issues.map((one) => one.issue.code)).toEqual(issue ? [issue] : [])
        expect(got.rescues).toHaveLength(calls)
        const ids = new Set(got.message.toolCalls?.map(({ id }) => id))
        expect(ids.size).toBe(all)
        if (calls === 0) expect(got.body).toBe(Buffer.from(bytesOf(bytes)).toString())
      }
    }
  })

  it('is left alone when no tools were offered', async () => {
    const { tools: __, ...request } = REQUESTS[wire]
    const bytes = bytesOf(streamBytes(getDialect(wire), replyOf({ reasoning: THOUGHT })))
    const body = await rescue(wire, [bytes], { type: typeOf(wire), request })
    expect(body).toBe(Buffer.from(bytes).toString())
  })
})

function latin1(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'))
}

describe('Chat Completions as servers write them', () => {
  const chunk = (delta: JsonObject, finish: string | null = null) => ({
    id: 'c',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

  it.each(['reasoning_content', 'reasoning'])('%s', async (field) => {
    const deltas =
      THOUGHT.match(/.{1,6}/gs)?.map((text) => chunk({ [field]: text, content: null })) ?? []
    const first = chunk({ role: 'assistant', content: '' })
    const stream = sse(first, ...deltas, chunk({ content: '\n' }), chunk({}, 'stop'), '[DONE]')
    const frames = readFrames(await rescue('openai-chat', [stream]))
    expect(frames.slice(-2)).toMatchObject([
      {
        choices: [
          {
            delta: {
              tool_calls: [{ index: 0, type: 'function', function: { name: 'get_weather' } }],
            },
            finish_reason: null,
          },
        ],
      },
      { choices: [{ finish_reason: 'tool_calls' }] },
    ])
  })

  it("as Mistral's lists of parts", async () => {
    const thinking = (text: string) => [{ type: 'thinking', thinking: [{ type: 'text', text }] }]
    const message = { role: 'assistant', content: thinking(THOUGHT) }
    const body = { id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] }
    const json = { type: 'application/json', url: 'https://api.mistral.ai/v1/chat/completions' }
    const mended = JSON.parse(await rescue('openai-chat', [JSON.stringify(body)], json))
    const found = { id: expect.stringMatching(/^\w{9}$/), function: { name: 'get_weather' } }
    const told = { finish_reason: 'tool_calls', message: { ...message, tool_calls: [found] } }
    expect(mended.choices).toMatchObject([told])

    const deltas =
      THOUGHT.match(/.{1,9}/gs)?.map((text) => chunk({ content: thinking(text) })) ?? []
    const stream = sse(...deltas, chunk({ content: '' }, 'stop'), '[DONE]')
    const frames = readFrames(await rescue('openai-chat', [stream], { url: json.url }))
    expect(frames.at(-2)).toMatchObject({ choices: [{ delta: { tool_calls: [found] } }] })
    expect(frames.at(-1)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  it('several choices, each for itself', async () => {
    const choices = (...deltas: JsonObject[]) => ({
      choices: deltas.map((delta, index) => ({ index, delta, finish_reason: null })),
    })
    const stream = sse(
      choices({ reasoning_content: THOUGHT }, { reasoning_content: THOUGHT }),
      choices({}, { content: 'Rain.' }),
      { choices: [0, 1].map((index) => ({ index, delta: {}, finish_reason: 'stop' })) },
    )
    const issues: RescueIssue[] = []
    const onIssue = (one: RescueIssue) => issues.push(one)
    const frames = readFrames(await rescue('openai-chat', [stream], { onIssue }))
    expect(frames.slice(-2)).toMatchObject([
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0 }] } }] },
      {
        choices: [
          { index: 0, finish_reason: 'tool_calls' },
          { index: 1, finish_reason: 'stop' },
        ],
      },
    ])
    expect(issues).toHaveLength(1)
  })

  it('a stream that breaks off makes none, which is told', async () => {
    const issues: RescueIssue[] = []
    const stream = sse(chunk({ reasoning_content: THOUGHT }))
    const body = await rescue('openai-chat', [stream], { onIssue: (one) => issues.push(one) })
    expect(body).toBe(stream)
    expect(issues).toMatchObject([{ issue: { code: 'reasoning-call' } }])
  })
})

describe.each(clients)('$name', (client) => {
  let upstream: Upstream
  beforeAll(async () => {
    upstream = await startUpstream()
  })
  afterAll(() => upstream.close())

  it('gets the call that ends the reasoning', async () => {
    const fetch = rescueFetch()
    upstream.play({ reply: replyOf({ reasoning: THOUGHT }) })
    const outcomes = [await client.whole(upstream.url, fetch)]
    for (const pieceLength of [1, 7, 1000]) {
      upstream.play({ reply: replyOf({ reasoning: THOUGHT }), pieceLength })
      outcomes.push(await client.streamed(upstream.url, fetch))
    }
    for (const { text, calls, finish, ids } of outcomes) {
      expect({ text, calls, finish }).toEqual({ text: '', calls: [call], finish: client.finish })
      expect(ids.every((one) => /^[\w.:-]{5,40}$/.test(one))).toBe(true)
    }
  })
})
