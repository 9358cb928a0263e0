/** The work that a history takes grows with its length, whatever is odd about it. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message, ToolCall } from '../../src/core/model.ts'
import { allDialects, getDialect } from '../../src/dialects/registry.ts'
import { encodeHealed } from '../../src/dialects/transcode.ts'
import { renderHistory } from '../../src/prompt/history.ts'
import { getProtocol } from '../../src/protocols/registry.ts'

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

const call = (id: string, at: number): ToolCall => {
  return { id, name: 'find', arguments: { at }, origin: 'native' }
}
const result = (callId: string) => ({ callId, content: 'found' })

type Shape = (count: number) => Message[]

const SHAPES: Readonly<Record<string, Shape>> = {
  'texts of one user': (count) => times(count, () => ({ role: 'user', content: 'x' })),
  'parts of one user': (count) =>
    times(count, () => ({ role: 'user', content: [{ type: 'text', text: 'x' }] })),
  'system messages in between': (count) =>
    times(count, (at) => ({ role: at % 2 === 0 ? 'user' : 'system', content: 'x' })),
  'system messages on top': (count) => times(count, () => ({ role: 'system', content: 'x' })),
  'results of one turn in the order of its calls, reversed': (count) => [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: '', toolCalls: times(count, (at) => call(`call_${at}`, at)) },
    ...times(count, (at): Message => {
      return { role: 'tool', content: '', toolResults: [result(`call_${count - 1 - at}`)] }
    }),
  ],
  'calls that share an id': (count) => [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: '', toolCalls: times(count, (at) => call('same', at)) },
    { role: 'tool', content: '', toolResults: times(count, () => result('same')) },
  ],
  'calls without ids': (count) => [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: '', toolCalls: times(count, (at) => call('', at)) },
    {
      role: 'tool',
      content: '',
      toolResults: times(count, () => ({ ...result(''), name: 'find' })),
    },
  ],
  'results without calls': (count) => [
    { role: 'user', content: 'x' },
    ...times(count, (at): Message => {
      return { role: 'tool', content: '', toolResults: [result(`call_${at}`)] }
    }),
  ],
  'one call in each turn': (count) =>
    times(count / 2, (at): Message[] => [
      { role: 'assistant', content: '', toolCalls: [call('same', at)] },
      { role: 'tool', content: '', toolResults: [result('same')] },
    ]).flat(),
  'documents of one name': (count) => [
    {
      role: 'user',
      content: times(count, () => ({
        type: 'file',
        name: 'a.pdf',
        mediaType: 'application/pdf',
        data: 'AA==',
      })),
    },
  ],
}

function cost(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

const SHORT = 1000
const LONG = 20_000
/** Linear work takes 20 times as long, quadratic work 400 times. */
const MAX_RATIO = 120
/** What is measured must take longer than the clock and the collector of garbage. */
const MIN_MS = 5
const ATTEMPTS = 3
/** Messages that one step may read, each of which may have several blocks. */
const MAX_STEP = 2500

/** The machine has other things to do: one attempt that is fast enough will do. */
function expectLinear(work: (count: number) => unknown): void {
  work(SHORT)
  const ratio = (): number => {
    const short = Math.max(
      MIN_MS,
      cost(() => work(SHORT)),
    )
    return cost(() => work(LONG)) / short
  }
  let last = ratio()
  for (let attempt = 1; attempt < ATTEMPTS && last >= MAX_RATIO; attempt++) last = ratio()
  expect(last).toBeLessThan(MAX_RATIO)
}

/** Those that join messages in ways of their own. */
const JOINING = ['openai-chat', 'anthropic', 'gemini', 'bedrock']

describe.for(JOINING)('%s', (id) => {
  const dialect = getDialect(id)

  test.for(Object.entries(SHAPES))('%s', { timeout: 60_000 }, ([, shape]) => {
    const bodies = new Map<number, JsonObject>()
    expectLinear((count) => {
      const { body } = encodeHealed({ model: 'm', messages: shape(count) }, dialect)
      bodies.set(count, body)
    })
    expectLinear((count) => dialect.decodeRequest(bodies.get(count) ?? { model: 'm' }))
  })
})

/** A step that read the whole history would keep everybody else waiting. */
test.for(allDialects.map(({ id }) => id))('%s decodes in steps of a bounded length', (id) => {
  const dialect = getDialect(id)
  const messages = SHAPES['one call in each turn']?.(LONG) ?? []
  const { body } = encodeHealed({ model: 'm', messages }, dialect)
  const steps = dialect.decodingSteps(body)
  let breaks = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) breaks++
  expect(step.value).toEqual(dialect.decodeRequest(body))
  expect(breaks).toBeGreaterThanOrEqual(LONG / 2 / MAX_STEP)
})

test.for(Object.entries(SHAPES))('as text: %s', { timeout: 60_000 }, ([, shape]) => {
  expectLinear((count) => renderHistory(shape(count), getProtocol('hermes')))
})

test('a request that was not healed', { timeout: 60_000 }, () => {
  const decode = (messages: readonly JsonObject[]) =>
    getDialect('openai-chat').decodeRequest({ model: 'm', messages: [...messages] })
  const encoded = (count: number) =>
    times(count, (at) => ({ role: 'tool', tool_call_id: `call_${at}`, content: 'x' }))
  const legacy = (count: number) => [
    ...times(count, () => ({ role: 'assistant', function_call: { name: 'f', arguments: '{}' } })),
    ...times(count, (at) => ({ role: 'function', name: `f${at}`, content: 'x' })),
  ]
  const results = (count: number) =>
    times(count, (at) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `call_${at}`, content: 'x' }],
    }))
  expectLinear((count) => decode(encoded(count)))
  expectLinear((count) => decode(legacy(count)))
  expectLinear((count) =>
    getDialect('anthropic').decodeRequest({ model: 'm', messages: results(count) }),
  )
})

test('a list of 200,000 messages is no list of arguments', { timeout: 60_000 }, () => {
  for (const dialect of allDialects) {
    const messages: Message[] = times(200_000, () => ({ role: 'user', content: 'x' }))
    const { body } = encodeHealed({ model: 'm', messages }, dialect)
    expect(dialect.decodeRequest(body).messages.length).toBeGreaterThan(0)
  }
})
