/** Texts made of what confuses a reader: markers, halves of markers, quotes, fences, JSON. */
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import type { Tool } from '../../src/core/model.ts'
import type { Protocol } from '../../src/core/protocol.ts'

export const soupTools: readonly Tool[] = [
  {
    name: 'get_weather',
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        tags: { type: 'array', items: { type: 'string' } },
        deep: { type: 'object', properties: { on: { type: 'boolean' } } },
      },
      required: ['city'],
    },
  },
  { name: 't', inputSchema: { type: 'object' } },
]

const TOKENS = [
  ...'{}[]()<>/\\"\'`~,:;=@. \n\t-',
  '```',
  '```json\n',
  '\n```\n',
  '~~~',
  '~~~tool_call\n',
  '\n~~~\n',
  '~~~tool_result\n',
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '<tool_call name="t" args=\'',
  '<tool name=t ',
  '[tool: t ',
  '{"name": "t", "arguments": ',
  '{"name":"get_weather","arguments":{"city":"Oslo","days":"3"}}',
  '{"tool_call":"t","args":{}}',
  '"name"',
  '"arguments"',
  '"City": "Bergen"',
  'get_weather(',
  't(',
  'true',
  'None',
  '12',
  'word',
  'é',
  '😀',
  '\u0000',
  '\ud800',
]

export interface WrittenCall {
  readonly name: string
  readonly arguments: JsonObject
}

export const exampleCall: WrittenCall = {
  name: 'get_weather',
  arguments: { city: 'Oslo', days: 3, unit: 'celsius', tags: ['a'] },
}

/** Random texts near the protocol's own format. */
export function soupArbitrary(protocol: Protocol): fc.Arbitrary<string> {
  const example = protocol.formatCall(exampleCall)
  const part = fc
    .tuple(fc.nat(example.length), fc.nat(example.length))
    .map(([one, other]) => example.slice(Math.min(one, other), Math.max(one, other)))
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...TOKENS) },
    { weight: 3, arbitrary: part },
    { weight: 1, arbitrary: fc.constant(example) },
    { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
  )
  return fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))
}

/** Names as parameters usually have them. */
export const plainKeys: fc.Arbitrary<string> = fc.stringMatching(/^[a-z_]\w{0,8}$/)

/** Random calls whose arguments quote the protocol's own markers; by default their keys do, too. */
export function callArbitrary(
  protocol: Protocol,
  keys?: fc.Arbitrary<string>,
): fc.Arbitrary<WrittenCall> {
  const example = protocol.formatCall(exampleCall)
  const hostile = fc.oneof(
    fc.constant(example),
    fc.constantFrom(...TOKENS),
    fc.nat(example.length).map((at) => example.slice(at)),
    fc.nat(example.length).map((at) => example.slice(0, at)),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  )
  const text = fc.array(hostile, { maxLength: 4 }).map((parts) => parts.join(''))
  const key = keys ?? text
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  return fc.record(
    {
      name: fc.constantFrom('get_weather', 't'),
      // Where values are plain text the names of parameters are part of the markup.
      arguments: fc.dictionary(protocol.rawText ? plainKeys : key, value, {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    },
    { noNullPrototype: true },
  )
}
