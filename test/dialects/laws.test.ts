/** What holds for every dialect in the registry, on conversations that each of them can carry. */
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest, ChatResponse } from '../../src/core/chat.ts'
import type { Dialect } from '../../src/core/dialect.ts'
import type { Issue } from '../../src/core/issue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import * as dialects from '../../src/dialects/index.ts'
import { eventsOf, requests, responses } from './samples.ts'

const all: readonly Dialect[] = Object.values(dialects)

/** What must survive everywhere: who says what, which calls are made and how they were answered. */
function essence({ messages, tools = [], toolChoice }: ChatRequest) {
  return {
    messages: messages.map(({ role, content, toolCalls = [], toolResults = [] }) => ({
      role,
      content,
      toolCalls: toolCalls.map((one) => ({ name: one.name, arguments: one.arguments })),
      toolResults: toolResults.map(({ content: text, isError = false, errorCode }) => ({
        content: text,
        isError,
        errorCode,
      })),
    })),
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    toolChoice,
  }
}

function replyOf({ message, finishReason, usage, id, model }: ChatResponse) {
  const { content, toolCalls = [] } = message
  return {
    id,
    model,
    content,
    calls: toolCalls.map((one) => ({ id: one.id, name: one.name, arguments: one.arguments })),
    finishReason,
    usage,
  }
}

const NO_REPLIES: readonly JsonObject[] = [
  {},
  { error: { message: 'no', code: 401 }, usage: { total_tokens: 1 } },
  { choices: [] },
  { choices: [{ index: 0 }] },
  { choices: [{ message: null }] },
  { choices: [{ message: {} }], usage: null },
  { choices: [null, { message: { role: 'assistant', content: 'Hi' } }] },
  { type: 'message' },
  { type: 'error', error: { type: 'overloaded_error' } },
  { content: [] },
  { content: 'Hi', usage: { input_tokens: 1 } },
  { output: [], usage: { input_tokens: 1 } },
  { message: {} },
]

function played(dialect: Dialect, response: ChatResponse): ChatEvent[] {
  const encoder = dialect.createStreamEncoder()
  const decoder = dialect.createStreamDecoder()
  const frames = eventsOf(response).flatMap((event) => encoder.push(event))
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

describe.each(all.map((dialect) => [dialect.id, dialect] as const))('%s', (_, dialect) => {
  test.for(Object.entries(requests))('carries the request %s', ([, request]) => {
    const body = dialect.encodeRequest(request)
    const back = dialect.decodeRequest(JSON.parse(JSON.stringify(body)))
    // Not every dialect can say how to choose.
    const { toolChoice: _, ...rest } = request
    const { toolChoice } = back
    expect(essence(back)).toEqual(essence({ ...rest, ...(toolChoice && { toolChoice }) }))
  })

  test.for(Object.entries(requests))('writes the request %s again as it was', ([, request]) => {
    const body = dialect.encodeRequest(request)
    expect(dialect.encodeRequest(dialect.decodeRequest(body))).toEqual(body)
  })

  test.for(Object.entries(responses))('carries the reply %s', ([, response]) => {
    const body = dialect.encodeResponse(response)
    const back = dialect.decodeResponse(JSON.parse(JSON.stringify(body)))
    expect(replyOf(back)).toMatchObject(expressible(replyOf(response), replyOf(back)))
  })

  test('the usage alone is that of the whole reply, and there is none of what is no reply', () => {
    const bodies = [
      ...all.flatMap((other) => Object.values(responses).map((one) => other.encodeResponse(one))),
      ...NO_REPLIES,
    ]
    for (const body of bodies) {
      const usage = dialect.usageIn?.(body)
      const { usage: whole, error } = dialect.decodeResponse(body)
      if (usage) expect({ usage, error }).toEqual({ usage: whole, error: undefined })
    }
  })

  test.for(Object.entries(responses))('a stream of the reply %s is the reply', ([, response]) => {
    const whole = dialect.decodeResponse(dialect.encodeResponse(response))
    const last = played(dialect, response).at(-1)
    expect(last?.type === 'finish' && replyOf(last.response)).toEqual(replyOf(whole))
  })

  test('what a reply keeps for another dialect is lost, and told', () => {
    const told: string[] = []
    const foreign = { other: { signature: 'x' } }
    const message = { role: 'assistant', content: 'Hi', extra: foreign } as const
    const response = {
      message,
      finishReason: 'stop',
      usage: {},
      issues: [],
      extra: foreign,
    } as const
    const report = ({ code }: Issue): void => void told.push(code)
    dialect.encodeResponse(response, { report })
    expect(told).toEqual(['lost-field', 'lost-field'])
    const encoder = dialect.createStreamEncoder({ report })
    for (const event of eventsOf(response)) encoder.push(event)
    expect(told).toHaveLength(4)
  })

  test('a stream tells the calls as they arrive', () => {
    const response = responses['calls']
    if (!response) throw new Error('there is no sample with calls')
    const told = played(dialect, response).filter(({ type }) => type === 'call-end')
    const calls = told.flatMap((event) => (event.type === 'call-end' ? [event.call] : []))
    expect(calls.map(({ name, arguments: args }) => ({ name, args }))).toEqual(
      response.message.toolCalls?.map(({ name, arguments: args }) => ({ name, args })),
    )
  })

  test('a stream that breaks off is an error with what came so far', () => {
    const encoder = dialect.createStreamEncoder()
    const decoder = dialect.createStreamDecoder()
    const events: ChatEvent[] = [
      { type: 'start', id: 'r', model: 'm' },
      { type: 'text-delta', text: 'So' },
    ]
    for (const frame of events.flatMap((event) => encoder.push(event))) decoder.push(frame)
    const last = decoder.end().at(-1)
    expect(last).toMatchObject({
      type: 'error',
      error: { partial: { message: { content: 'So' } } },
    })
  })
})

/** Ids and counts that a dialect has no field for need not come back. */
function expressible<
  T extends { readonly id?: unknown; readonly model?: unknown; readonly usage: object },
>(wanted: T, got: T): Partial<T> {
  const { id, model, usage, ...rest } = wanted
  const counts = Object.entries(usage).filter(([key]) => key in got.usage)
  return {
    ...rest,
    ...(got.id !== undefined && { id }),
    ...(got.model !== undefined && { model }),
    usage: Object.fromEntries(counts),
  } as unknown as Partial<T>
}
