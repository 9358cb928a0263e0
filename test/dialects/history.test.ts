/** Whatever stands in a history: healed, it is what each dialect's strict servers take. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message, Part } from '../../src/core/model.ts'
import { openaiChat } from '../../src/dialects/openai-chat.ts'
import { allDialects } from '../../src/dialects/registry.ts'
import { encodeHealed, heal } from '../../src/dialects/transcode.ts'
import { checkHistory } from '../../src/testing/history-check.ts'
import { call } from './samples.ts'

const texts = fc.constantFrom('', ' ', 'Is it raining?', 'Grüße 😀', 'half \ud83d of it')
const image: Part = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }
const contents = fc.oneof(
  texts,
  fc.array(
    fc.oneof(
      texts.map((text): Part => ({ type: 'text', text })),
      fc.constant(image),
    ),
    { maxLength: 2 },
  ),
)
const ids = fc.constantFrom('', 'f:0', 'call_1', 'toolu_01', 'x'.repeat(70), 'a b/ü')
const names = fc.constantFrom('get_weather', 'mcp.files/read', '9lives', 'n'.repeat(130))
const calls = fc
  .tuple(ids, names, fc.constantFrom({}, { city: 'Oslo' }, { text: 'half \udc00' }))
  .map(([id, name, args]) => call(id, name, args))
const results = fc
  .tuple(ids, fc.option(names, { nil: undefined }), contents, fc.boolean())
  .map(([callId, name, content, isError]) => ({
    callId,
    ...(name !== undefined && { name }),
    content,
    ...(isError && { isError }),
  }))
const messages: fc.Arbitrary<Message> = fc.oneof(
  contents.map((content) => ({ role: 'user' as const, content })),
  texts.map((content) => ({ role: 'system' as const, content })),
  fc
    .tuple(texts, fc.array(calls, { maxLength: 3 }))
    .map(([content, toolCalls]) => ({ role: 'assistant' as const, content, toolCalls })),
  fc
    .array(results, { minLength: 1, maxLength: 3 })
    .map((toolResults) => ({ role: 'tool' as const, content: '', toolResults })),
)
const histories = fc.array(messages, { maxLength: 10 })

/** As clients of OpenAI's API write them, old ones and careless ones among them. */
const wireCalls = fc
  .tuple(
    fc.option(ids, { nil: undefined }),
    names,
    fc.constantFrom('{}', '', 'null', '{"city": "Oslo"}', '{"city": "Os', '[1]'),
  )
  .map(([id, name, args]) => ({
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name, arguments: args },
  }))
const wireMessages: fc.Arbitrary<JsonObject> = fc.oneof(
  texts.map((content) => ({ role: 'developer', content })),
  texts.map((content) => ({ role: 'user', name: 'ann', content })),
  texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
  fc.constant({ role: 'latest_reminder', content: 'Monday' }),
  fc.constant({ role: 'assistant', content: null }),
  fc
    .tuple(texts, fc.array(wireCalls, { minLength: 1, maxLength: 3 }))
    .map(([content, tool_calls]) => ({ role: 'assistant', content, tool_calls })),
  names.map((name) => ({
    role: 'assistant',
    content: null,
    function_call: { name, arguments: '{}' },
  })),
  names.map((name) => ({ role: 'function', name, content: '4 °C' })),
  ids.map((id) => ({ role: 'tool', tool_call_id: id, content: '4 °C' })),
  names.map((name) => ({ role: 'tool', name, content: [{ type: 'text', text: '4 °C' }] })),
)

describe.for(allDialects.map((dialect) => [dialect.id, dialect] as const))('%s', ([, dialect]) => {
  test('takes every history that is healed', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const said = [...history, { role: 'user' as const, content: 'Go on.' }]
        const { body } = encodeHealed({ model: 'm', messages: said }, dialect)
        expect(checkHistory(body, dialect)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('twice is the same as once', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const said = [...history, { role: 'user' as const, content: 'Go on.' }]
        const { body } = encodeHealed({ model: 'm', messages: said }, dialect)
        expect(encodeHealed(dialect.decodeRequest(body), dialect).body).toEqual(body)
        const { field } = dialect.rules
        expect(heal(body[field] as object[], dialect)).toEqual(body[field])
      }),
      { numRuns: 300 },
    )
  })

  test('takes the histories of OpenAI clients', () => {
    fc.assert(
      fc.property(fc.array(wireMessages, { minLength: 1, maxLength: 10 }), (history) => {
        const request = openaiChat.decodeRequest({ model: 'm', messages: history })
        const said = [...request.messages, { role: 'user' as const, content: 'Go on.' }]
        const { body } = encodeHealed({ ...request, messages: said }, dialect)
        expect(checkHistory(body, dialect)).toEqual([])
        expect(encodeHealed(dialect.decodeRequest(body), dialect).body).toEqual(body)
      }),
      { numRuns: 300 },
    )
  })
})
