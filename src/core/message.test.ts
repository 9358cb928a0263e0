import { describe, expect, test } from 'vitest'
import { argumentsJson, isValidMessage } from './message.ts'

describe('arguments as JSON text', () => {
  test.for<[what: string, args: unknown, text: string]>([
    ['an object is written compactly', { city: 'Oslo', days: 2 }, '{"city":"Oslo","days":2}'],
    ['an empty object stays one', {}, '{}'],
    ['null means none', null, '{}'],
    ['nothing means none', undefined, '{}'],
    ['an empty text means none', ' \n', '{}'],
    ['the text null means none', 'null', '{}'],
    ['a text is passed on byte for byte', '{"city":  "Oslo"}', '{"city":  "Oslo"}'],
    ['a broken text is passed on, too', '{"city', '{"city'],
    ['what JSON cannot say means none', () => 1, '{}'],
    ['what JSON cannot hold means none', { big: 1n }, '{}'],
  ])('%s', ([, args, text]) => {
    expect(argumentsJson(args)).toBe(text)
  })
})

describe('messages that can be sent', () => {
  test.for<[what: string, message: unknown]>([
    [
      'a tool message that says which call it answers',
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ],
    ['a tool message without any text', { role: 'tool', tool_call_id: 'c1', content: '' }],
    ['a tool message of our own', { role: 'tool', content: '', toolResults: [{ callId: 'c1' }] }],
    ['an assistant that only calls', { role: 'assistant', tool_calls: [{ id: '1', name: 't' }] }],
    [
      'an assistant of our own that only calls',
      { role: 'assistant', content: '', toolCalls: [{}] },
    ],
    ['a question', { role: 'user', content: 'why?' }],
    ['parts', { role: 'user', content: [{ type: 'text', text: 'why?' }] }],
    ['an image without text', { role: 'user', content: '', images: ['aGk='] }],
  ])('%s', ([, message]) => {
    expect(isValidMessage(message)).toBe(true)
  })

  test.for<[what: string, message: unknown]>([
    ['a tool message that answers nothing', { role: 'tool', content: 'x' }],
    ['an answer in a user message', { role: 'user', tool_call_id: 'c1', content: 'x' }],
    ['a user message with nothing in it', { role: 'user', content: '' }],
    [
      'an assistant that neither speaks nor calls',
      { role: 'assistant', content: null, tool_calls: [] },
    ],
    ['an unknown role', { role: 'judge', content: 'x' }],
    ['no role', { content: 'x' }],
    ['no message', 'hello'],
  ])('not: %s', ([, message]) => {
    expect(isValidMessage(message)).toBe(false)
  })
})
