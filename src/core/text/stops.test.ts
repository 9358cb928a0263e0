/** Whatever is searched how, no marker is passed over. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLinePrefix, isWord, NEWLINE } from './characters.ts'
import { append, type Cursor, createCursor } from './cursor.ts'
import { STOP_DEPTH, type Stops, type StopTree, stopsMaker } from './stops.ts'

const ANYWHERE = ['<tool>', '[A]', '｜x', 'functions.', '`']
const WORDS = ['to=', 'погода(', 'get_weather(']
const LINES = ['[g', '~~~', 'ünit>']

function treeOf(markers: readonly string[]): StopTree['children'] {
  const grow = (rests: readonly string[], depth: number): StopTree => {
    if (depth === STOP_DEPTH || rests.includes('')) return { children: new Map() }
    const codes = [...new Set(rests.map((rest) => rest.charCodeAt(0)))]
    const behind = (code: number) =>
      rests.filter((rest) => rest.charCodeAt(0) === code).map((rest) => rest.slice(1))
    return { children: new Map(codes.map((code) => [code, grow(behind(code), depth + 1)])) }
  }
  return grow(markers, 0).children
}

const makeStops = stopsMaker()

const stops: Stops = makeStops({
  anywhere: treeOf(ANYWHERE),
  words: treeOf(WORDS),
  lines: treeOf(LINES),
})

function startsLineIn(text: string): (at: number) => boolean {
  return (at) => {
    let i = at
    while (i > 0 && isLinePrefix(text.charCodeAt(i - 1))) i--
    return i === 0 || text.charCodeAt(i - 1) === NEWLINE
  }
}

function cursorOf(text: string): Cursor {
  const cursor = createCursor(0)
  append(cursor, text)
  return cursor
}

function codeBefore(text: string, at: number): number {
  return at === 0 ? NEWLINE : text.charCodeAt(at - 1)
}

/** Where the next marker stands, or what may become one. */
function nextMarker(text: string, from: number): number {
  const begins = (marker: string, at: number): boolean =>
    text.startsWith(marker, at) || marker.startsWith(text.slice(at))
  for (let at = from; at < text.length; at++) {
    if (ANYWHERE.some((marker) => begins(marker, at))) return at
    if (isWord(codeBefore(text, at))) continue
    if (WORDS.some((marker) => begins(marker, at))) return at
    if (startsLineIn(text)(at) && LINES.some((marker) => begins(marker, at))) return at
  }
  return text.length
}

const part = fc.oneof(
  fc.constantFrom(...ANYWHERE, ...WORDS, ...LINES, '\n', '\n  ', ' ', '> ', 'a', 'word ', 'Ünit'),
  fc.string({ maxLength: 6 }),
)
const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''))

test('a few characters', () => {
  fc.assert(
    fc.property(text, (piece) => {
      const found = stops.findShort(cursorOf(piece), 0)
      expect(found).toBeLessThanOrEqual(nextMarker(piece, 0))
    }),
    { numRuns: 2000 },
  )
})

test('a whole text, from stop to stop', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const cursor = cursorOf(whole)
      for (let at = 0; at < whole.length; ) {
        const found = stops.find(cursor, at)
        expect(found).toBeLessThanOrEqual(nextMarker(whole, at))
        at = found + 1
      }
    }),
    { numRuns: 2000 },
  )
})

test('two searches that share what they have seen', () => {
  const other = makeStops({
    anywhere: treeOf(['<tool>', '{']),
    words: new Map(),
    lines: new Map(),
  })
  const whole = `${'word '.repeat(10)}{${'word '.repeat(10)}<tool>`
  const cursor = cursorOf(whole)
  expect(stops.find(cursor, 0)).toBe(101)
  expect(other.find(cursor, 0)).toBe(50)
  expect(other.find(cursor, 51)).toBe(101)
  // Back to the beginning, and in another text.
  expect(other.find(cursor, 0)).toBe(50)
  cursor.text = `<tool>${whole}`
  expect(stops.find(cursor, 0)).toBe(0)
})
