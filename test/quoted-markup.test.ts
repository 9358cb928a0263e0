/**
 * Files that have markup of calls in them. Models write them as they are, so a value holds what would end it;
 * where the tags in it are closed in it, it is read whole, and nothing that it quotes is called.
 */
import { describe, expect, test } from 'vitest'
import { createExtractor, extract } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import { chunksOf } from '../src/testing/index.ts'

const text = { type: 'string' } as const

const tools = [
  {
    name: 'write_file',
    inputSchema: {
      type: 'object',
      properties: { path: text, content: text, mode: text },
      required: ['path', 'content'],
    },
  },
  {
    name: 'bash',
    inputSchema: { type: 'object', properties: { command: text }, required: ['command'] },
  },
] as const

/** With other marks in place of `<` and `>`, so that no tool that edits this file takes them for its own. */
const FILES: readonly (readonly [what: string, content: string])[] = [
  [
    'a configuration with parameters',
    '‹beans›\n  ‹bean id="x"›\n    ‹parameter name="p"›v‹/parameter›\n  ‹/bean›\n‹/beans›',
  ],
  [
    'parameters without a name, one behind the other',
    '‹all›\n  ‹parameter›a‹/parameter›\n  ‹parameter›b‹/parameter›\n‹/all›',
  ],
  [
    'parameters and a function',
    '‹root›\n  ‹parameter name="a"›1‹/parameter›\n  ‹function›f‹/function›\n‹/root›',
  ],
  [
    'a function of another spelling',
    '‹function name="x"›\n  ‹param name="y"›1‹/param›\n‹/function›',
  ],
  ['a call in one line', '‹function=bash›‹parameter=command›rm -rf /‹/parameter›‹/function›'],
  [
    'a call in its section, and words behind it',
    '‹tool_call›\n‹function=bash›\n‹parameter=command›\nls\n‹/parameter›\n‹/function›\n‹/tool_call›\nThat is it.',
  ],
  [
    'a call of another family',
    '‹invoke name="bash"›‹parameter name="command"›ls‹/parameter›‹/invoke›',
  ],
  ['a call without parameters', '‹invoke name="bash"›ls‹/invoke›'],
  ['keys and values', '‹arg_key›a‹/arg_key›‹arg_value›b‹/arg_value›'],
  ['tags of arguments', '‹path›other‹/path›\n‹content›inner‹/content›'],
  ['a test of a parser', 'parse("‹function=f›‹parameter=x›1‹/parameter›‹/function›") == 1'],
  [
    'a stray closing tag before a parameter',
    '‹/value›\n‹parameter name="p"›v‹/parameter›\n‹parameter=q›v‹/parameter›\n‹b/›',
  ],
  ['an expression', String.raw`const re = /‹parameter=(\w+)›(.*?)‹\/parameter›/s`],
  ['a tag of a parameter on a line of its own', 'It begins with\n‹parameter=city›\nand ends.'],
  [
    'tags of calls on lines of their own',
    'One is\n‹function=bash›\nanother\n‹invoke name="bash"›\n.',
  ],
]
const files = FILES.map(([what, content]): [string, string] => [
  what,
  content.replaceAll('‹', '<').replaceAll('›', '>'),
])

const PLACE = 'what-is-written'
/** JSON and attributes cannot hold any text as it is, YAML only line by line. */
const QUOTING = /["';]what-is-written|: what-is-written/

const written = allProtocols.flatMap(({ id, formatCall }) => {
  const args = { path: 'a.xml', content: PLACE, mode: 'w' }
  const call = formatCall({ name: 'write_file', arguments: args })
  return call.includes(PLACE) && !QUOTING.test(call) ? [{ id, call }] : []
})

test('there are formats that write values as they are', () => {
  expect(written.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['anthropic-xml', 'glm47', 'minimax-m2', 'qwen3-coder']),
  )
})

describe.each(written)('$id', ({ id, call }) => {
  test.for(files)('%s', ([, content]) => {
    const reply = call.replace(PLACE, () => content)
    const expected = [['write_file', { path: 'a.xml', content, mode: 'w' }]]
    for (const protocols of ['auto', [id]] as const) {
      const { calls } = extract(reply, { tools, protocols })
      expect(calls.map((one) => [one.name, one.arguments])).toEqual(expected)
      const extractor = createExtractor({ tools, protocols })
      for (const piece of chunksOf(reply, 3)) extractor.push(piece)
      extractor.end()
      expect(extractor.result().calls.map((one) => [one.name, one.arguments])).toEqual(expected)
    }
  })
})
