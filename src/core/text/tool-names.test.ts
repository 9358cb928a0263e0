/** Names of tools are found wherever they are, however they are looked for. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toolTable } from '../tools.ts'
import { joinsWord } from './characters.ts'
import { append, createCursor } from './cursor.ts'
import { STOP_DEPTH, type StopTree, stopsMaker } from './stops.ts'
import { mayNameTool, NAMESPACES, NamePlaces, SHORTEST_NAME } from './tool-names.ts'

const FEW = ['get_weather', 'search', 'search_files', 'ls', 'x', 'Überblick']
/** So many that one expression looks for those without a symbol. */
const MANY = [
  ...FEW,
  ...['read', 'write', 'grep', 'glob', 'bash', 'move', 'copy', 'list', 'edit', 'todo', 'plan'],
  ...['$ref', 'a.b', 'read_file', 'read-file', 'get_weather_of_a_place_far_away'],
]

function treeOf(names: readonly string[], depth = 0): StopTree['children'] {
  const codes = [...new Set(names.map((name) => name.charCodeAt(depth)))]
  return new Map(
    codes.map((code) => {
      const same = names.filter((name) => name.charCodeAt(depth) === code)
      const isOver = depth + 1 === STOP_DEPTH || same.some(({ length }) => length === depth + 1)
      return [code, { children: isOver ? new Map() : treeOf(same, depth + 1) }]
    }),
  )
}

const textOf = (names: readonly string[]) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...names, ...names.map((name) => name.slice(0, 4))),
        fc.constantFrom(...NAMESPACES, ' ', '\n', '(', '_', 'research', 'and so on '),
        fc.string({ maxLength: 4 }),
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(''))

describe.for([
  ['a few', FEW],
  ['many', MANY],
] as const)('%s names', ([, names]) => {
  const tools = toolTable(names)
  const written = names.flatMap((name) => NAMESPACES.map((space) => space + name))
  const stops = stopsMaker(names)({
    anywhere: new Map(),
    words: new Map(),
    lines: new Map(),
    names: treeOf(written),
  })

  /** Every place where a name begins a word. */
  function placesIn(text: string): number[] {
    return Array.from(text, (_, at) => at).filter(
      (at) =>
        !joinsWord(text.charCodeAt(at - 1)) && written.some((name) => text.startsWith(name, at)),
    )
  }

  test.for([
    ['in a stream', undefined],
    ['in a whole reply', true],
  ] as const)('are stops %s', ([, isWhole]) => {
    fc.assert(
      fc.property(textOf(names), (text) => {
        const cursor = createCursor(0, isWhole && new NamePlaces(text, tools))
        append(cursor, text)
        const found = new Set<number>()
        for (let at = 0; at < text.length; ) {
          const stop = stops.find(cursor, at)
          found.add(stop)
          at = stop + 1
        }
        expect(placesIn(text).filter((at) => !found.has(at))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  test('are noticed, also inside other words', () => {
    fc.assert(
      fc.property(textOf(names), (text) => {
        const telling = names.filter(({ length }) => length >= SHORTEST_NAME)
        if (telling.some((name) => text.includes(name))) expect(mayNameTool(text, tools)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})

test('prose without a name has no place where one could be', () => {
  const text =
    'The harbour was quiet, a few weathered boats apart; nothing was written down. '.repeat(9)
  const places = new NamePlaces(text, toolTable(['get_weather', 'search', 'write_file']))
  expect(places.next(0)).toBe(text.length)
})

test('a name that was broken by markup counts', () => {
  const places = new NamePlaces('', toolTable(['get_weather']))
  expect(places.isIn('(get_weather)')).toBe(true)
  expect(places.isIn('(get_weath)')).toBe(false)
})
