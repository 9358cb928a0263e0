/** Finds the next place at which something may begin: what all of a reply passes through. */
import { isWord } from './characters.ts'

/**
 * The index of the next stop at or behind `at`, or the length of the text. `before` is the character
 * that counts as standing before `at`; `startsLine` says whether nothing but indentation does.
 */
export type FindStop = (
  text: string,
  at: number,
  before: number,
  startsLine: (at: number) => boolean,
) => number

/** The characters that may stand somewhere, each with what may follow it; empty: anything may. */
export interface StopTree {
  readonly children: ReadonlyMap<number, StopTree>
}

/** Below this length a loop is quicker than starting the regular expression engine. */
const SHORT = 24
/** As many characters are quicker looked for one by one than by an expression. */
const FEW = 6
/** How many characters of a marker are looked at. */
export const STOP_DEPTH = 6

const ASCII = 128
/** What may stand before a marker that begins a line; as little of it as possible. */
const INDENTATION = '[\\t >*-]{0,64}?'
/** What is known of a first character: that it is one, and that no word may stand before it. */
const STOP = 1
const WORD = 2

/** First characters of markers that need a boundary, whichever the marker. */
export interface BoundStops {
  /** No letter may stand before them. */
  readonly words: ReadonlySet<number>
  /** Only indentation may. */
  readonly lines: ReadonlySet<number>
}

export function createFind(stops: StopTree['children'], { words, lines }: BoundStops): FindStop {
  const kinds = new Uint8Array(ASCII)
  const pairs = new Uint8Array(ASCII * ASCII)
  for (const [code, next] of stops) {
    if (code >= ASCII) continue
    kinds[code] = words.has(code) || lines.has(code) ? STOP | WORD : STOP
    if (next.children.size === 0) pairs.fill(1, code * ASCII, (code + 1) * ASCII)
    for (const second of next.children.keys()) if (second < ASCII) pairs[code * ASCII + second] = 1
  }

  function findInShort(text: string, at: number, before: number): number {
    const { length } = text
    for (let i = at; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code >= ASCII) {
        if (stops.has(code)) return i
        continue
      }
      const kind = kinds[code]
      if (kind === 0) continue
      if (kind === (STOP | WORD) && isWord(i > at ? text.charCodeAt(i - 1) : before)) continue
      // What follows the end of a piece is not known.
      if (i + 1 === length) return i
      const next = text.charCodeAt(i + 1)
      if (next >= ASCII || pairs[code * ASCII + next] === 1) return i
    }
    return length
  }

  // Several searches, because the more first characters one has, the slower it is for all of them: lines
  // are few, words can be looked for by six characters at once, and the rest is rare in prose.
  const only = (wanted: (code: number) => boolean) =>
    new Map([...stops].filter(([code]) => wanted(code)))
  const symbols = only((code) => !words.has(code) && !lines.has(code))
  const searches = [
    symbols.size <= FEW ? createSymbolSearch(symbols, pairs) : createSearch(symbols, 3),
    createSearch(
      only((code) => words.has(code)),
      STOP_DEPTH,
    ),
    createSearch(
      only((code) => lines.has(code)),
      STOP_DEPTH,
      true,
    ),
  ]

  return (text, at, before, startsLine) => {
    if (text.length - at < SHORT) return findInShort(text, at, before)
    let first = text.length
    for (const search of searches) first = Math.min(first, search(text, at, startsLine))
    if (first < text.length) return first
    // What only begins to match stands at the very end.
    const end = Math.max(at, text.length - STOP_DEPTH + 1)
    return findInShort(text, end, end > at ? text.charCodeAt(end - 1) : before)
  }
}

/**
 * Finds one of a few characters that are rare in prose. Each is looked for by itself, which is quicker than an
 * expression for all of them, and remembered until it is passed.
 */
function createSymbolSearch(
  stops: StopTree['children'],
  pairs: Uint8Array,
): (text: string, at: number) => number {
  const marker = new RegExp(patternOf(stops, 3) || '(?!)', 'y')
  const symbols = [...stops.keys()].map((code) => ({
    code,
    text: String.fromCharCode(code),
    at: -1,
  }))
  let known = ''
  let from = 0
  let found = -1

  function isMarker(text: string, at: number, code: number): boolean {
    const next = text.charCodeAt(at + 1)
    if (code < ASCII && next < ASCII && pairs[code * ASCII + next] === 0) return false
    marker.lastIndex = at
    return marker.test(text)
  }

  function search(text: string, start: number): number {
    for (let at = start; ; at++) {
      let first = text.length
      let code = 0
      for (const symbol of symbols) {
        if (symbol.at < at) {
          const place = text.indexOf(symbol.text, at)
          symbol.at = place === -1 ? text.length : place
        }
        if (symbol.at < first) {
          first = symbol.at
          code = symbol.code
        }
      }
      if (first === text.length || isMarker(text, first, code)) return first
      at = first
    }
  }

  return (text, at) => {
    if (at <= found && at >= from && text === known) return found
    if (at < from || text !== known) for (const symbol of symbols) symbol.at = -1
    known = text
    from = at
    found = search(text, at)
    return found
  }
}

/** Finds the next complete match, and remembers it until it is passed. */
function createSearch(
  stops: StopTree['children'],
  depth: number,
  lines = false,
): (text: string, at: number, startsLine: (at: number) => boolean) => number {
  if (stops.size === 0) return (text) => text.length
  const marker = patternOf(stops, depth)
  const pattern = new RegExp(lines ? `\\n${INDENTATION}(?=${marker})` : marker, 'g')
  const indented = new RegExp(`${INDENTATION}(?=${marker})`, 'y')
  let known = ''
  let from = 0
  let found = 0

  function search(text: string, at: number): number {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match) return text.length
    return lines ? pattern.lastIndex : match.index
  }

  return (text, at, startsLine) => {
    indented.lastIndex = at
    if (lines && startsLine(at) && indented.test(text)) return indented.lastIndex
    if (at > found || at < from || text !== known) {
      found = search(text, at)
      from = at
      known = text
    }
    return found
  }
}

/** One alternative for all characters that the same may follow. */
function patternOf(stops: StopTree['children'], depth: number): string {
  const groups = new Map<StopTree, number[]>()
  for (const [code, next] of stops) {
    const group = groups.get(next)
    if (group) group.push(code)
    else groups.set(next, [code])
  }
  // Plain characters where they can be: only those let the engine skip ahead.
  const parts = Array.from(groups, ([next, codes]) => {
    const list = codes.map(escaped).join('')
    const characters = codes.length > 1 ? `[${list}]` : list
    if (depth === 1 || next.children.size === 0) return characters
    const behind = patternOf(next.children, depth - 1)
    return characters + (behind.includes('|') ? `(?:${behind})` : behind)
  })
  return parts.join('|')
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
