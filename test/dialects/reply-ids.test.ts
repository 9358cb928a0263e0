/** Replies that a dialect writes have ids that its own API takes back. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatResponse } from '../../src/core/chat.ts'
import { fitsId } from '../../src/dialects/history/id-rule.ts'
import { createReplyIds } from '../../src/dialects/history/reply-ids.ts'
import { allDialects } from '../../src/dialects/registry.ts'
import { call, eventsOf } from './samples.ts'

const strict = allDialects.filter(({ rules }) => rules.callId)

function replyWith(ids: readonly string[]): ChatResponse {
  return {
    message: {
      role: 'assistant',
      content: '',
      toolCalls: ids.map((id, at) => call(id, 'get_weather', { at })),
    },
    finishReason: 'tool-calls',
    usage: {},
    issues: [],
  }
}

const idsOf = ({ message }: ChatResponse): string[] => (message.toolCalls ?? []).map(({ id }) => id)

const someIds = fc.uniqueArray(
  fc.oneof(
    fc.string({ minLength: 1, maxLength: 80 }).filter((id) => id.trim() !== ''),
    fc.constantFrom('functions.get_weather:0', 'functions_get_weather_0', 'toolu_01AbC', 'a b'),
  ),
  { minLength: 1, maxLength: 6 },
)

describe.for(strict.map((dialect) => [dialect.id, dialect] as const))('%s', ([, dialect]) => {
  const rule = dialect.rules.callId
  if (!rule) throw new Error('only dialects with a rule are asked')

  test('writes ids that fit, one for each call, the same whole and streamed', () => {
    fc.assert(
      fc.property(someIds, (ids) => {
        const reply = replyWith(ids)
        const whole = dialect.decodeResponse(dialect.encodeResponse(reply))
        const written = idsOf(whole)
        expect(written).toHaveLength(ids.length)
        expect(new Set(written).size).toBe(ids.length)
        for (const id of written) expect(fitsId(id, rule)).toBe(true)
        if (ids.every((id) => fitsId(id, rule))) expect(written).toEqual(ids)
        const encoder = dialect.createStreamEncoder()
        const decoder = dialect.createStreamDecoder()
        const frames = eventsOf(reply).flatMap((event) => encoder.push(event))
        const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
        const last = events.at(-1)
        expect(last?.type === 'finish' && idsOf(last.response)).toEqual(written)
      }),
      { numRuns: 60 },
    )
  })
})

test('an id of Kimi stays readable, and is new where the conversation has it', () => {
  const rule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64, prefix: 'toolu_' }
  const id = 'functions.get_weather:0'
  expect(createReplyIds(rule).fit(id)).toBe('functions_get_weather_0')
  const next = createReplyIds(rule, ['functions_get_weather_0']).fit(id)
  expect(next).toMatch(/^toolu_[a-zA-Z0-9]+$/)
  expect(createReplyIds(rule, ['functions_get_weather_0']).fit(id)).toBe(next)
})
