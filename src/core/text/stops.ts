/** Finds the next place at which something may begin: what all of a reply passes through. */
import { isLinePrefix, isWord } from './characters.ts'
import { type Cursor, codeBefore, startsLine } from './cursor.ts'
import {
  NAME_REACH,
  type NamePlaces,
  type NameSearch,
  nameSearches,
  namespaceBefore,
  SHORTEST_NAME,
} from './tool-names.ts'

export interface Stops {
  /** The index of the next stop at or behind `at`, or the length of the text. */
  find(cursor: Cursor, at: number): number
  /** The same for a few characters, up to `end`, by default all that follow. */
  findShort(cursor: Cursor, at: number, end?: number): number
}

/** The characters that may stand somewhere, each with what may follow it; empty: anything may. */
export interface StopTree {
  readonly children: ReadonlyMap<number, StopTree>
}

const NOTHING: StopTree['children'] = new Map()

/** To this length a loop is quicker than starting several searches. */
export const SHORT = 56
/** Where one stop was so close behind another, the next one mostly is as well. */
const NEAR = 16
/** How many characters of a marker are looked at. */
export const STOP_DEPTH = 6

const ASCII = 128
/** What may stand before a marker that begins a line; as little of it as possible. */
const INDENTATION = '[\\t >*-]{0,64}?'
/** Where something may begin: anywhere, not behind a letter, behind indentation only. */
const ANYWHERE = 1
const WORD = 2
const LINE = 4
const ALL = ANYWHERE | WORD | LINE

/** What is looked for, by where it may begin. */
export interface StopTrees {
  readonly anywhere: StopTree['children']
  readonly words: StopTree['children']
  readonly lines: StopTree['children']
  /** Names of tools: they begin words, and are looked for in another way than markers. */
  readonly names?: StopTree['children']
}

/**
 * Makes stops. Those that look for the same are the same, so that nothing is looked for twice. `names`: of the tools.
 */
export function stopsMaker(names: readonly string[] = []): (trees: StopTrees) => Stops {
  const isShort = ({ length }: string): boolean => length < SHORTEST_NAME
  const searches = {
    short: nameSearches(names.filter(isShort)),
    others: nameSearches(names.filter((name) => !isShort(name))),
  }
  const known = new Map<string, Stops>()
  const numbers = new Map<string, number>()
  const numberOf: NumberOf = (key) => {
    const number = numbers.get(key) ?? numbers.size
    numbers.set(key, number)
    return number
  }
  return (trees) => {
    const { anywhere, words, lines, names = NOTHING } = trees
    const all = [anywhere, words, lines, names]
    const key = all.map((tree) => patternOf(tree, STOP_DEPTH)).join('\n')
    const made = known.get(key) ?? createStops(trees, searches, numberOf)
    known.set(key, made)
    return made
  }
}

/** Names that are always looked for, and those whose places may be known. */
interface NameSearches {
  readonly short: readonly NameSearch[]
  readonly others: readonly NameSearch[]
}

/** Of what is looked for; the same for the same. */
type NumberOf = (key: string) => number

function createStops(
  { anywhere, words, lines, names = NOTHING }: StopTrees,
  searches: NameSearches,
  numberOf: NumberOf,
): Stops {
  const kinds = new Uint8Array(ASCII)
  const pairs = new Uint8Array(ASCII * ASCII)
  const beyond = new Map<number, number>()
  noteStarts(anywhere, ANYWHERE)
  noteStarts(words, WORD)
  noteStarts(lines, LINE)
  noteStarts(names, WORD)

  // A tight loop of its own: it is inlined together with all that a short piece of text goes through.
  function findShort(cursor: Cursor, at: number, end = cursor.text.length): number {
    const { text } = cursor
    for (let i = at; i < end; i++) {
      const code = text.charCodeAt(i)
      const kind = code < ASCII ? kinds[code] : beyond.get(code)
      if (kind && isStop(kind, cursor, i)) return i
    }
    return end
  }

  function isStop(first: number, cursor: Cursor, i: number): boolean {
    const { text } = cursor
    const kind = first & (isWord(codeBefore(cursor, i)) ? ANYWHERE : ALL) & kindsAt(text, i)
    if ((kind & ANYWHERE) !== 0 && mayStand(anywhere, text, i)) return true
    if ((kind & WORD) !== 0 && (mayStand(words, text, i) || mayStand(names, text, i))) return true
    return (kind & LINE) !== 0 && mayStand(lines, text, i) && startsLine(cursor, i)
  }

  /** What may begin at `i`, as far as two characters tell; mostly nothing. */
  function kindsAt(text: string, i: number): number {
    const code = text.charCodeAt(i)
    const next = text.charCodeAt(i + 1)
    return code < ASCII && next < ASCII ? (pairs[code * ASCII + next] ?? 0) : ALL
  }

  /** Notes what may begin with a character, and with two. */
  function noteStarts(tree: StopTree['children'], kind: number): void {
    for (const [code, { children }] of tree) {
      if (code >= ASCII) {
        beyond.set(code, (beyond.get(code) ?? 0) | kind)
        continue
      }
      const row = code * ASCII
      kinds[code] = (kinds[code] ?? 0) | kind
      for (let second = 0; second < ASCII; second++) {
        if (children.size > 0 && !children.has(second)) continue
        pairs[row + second] = (pairs[row + second] ?? 0) | kind
      }
    }
  }

  // Several searches, because the more first characters one has, the slower it is for all of them: line
  // breaks and symbols are rare in prose, and of words there are few.
  const inLines = patternOf(lines, STOP_DEPTH)
  const markers = [
    ...startFinders(anywhere, kindsAt),
    ...startFinders(words, kindsAt),
    ...(inLines ? [lineFinder(inLines, new Set(lines.keys()))] : []),
  ]
  const hasNames = names.size > 0
  const beginsName = (text: string, at: number): boolean =>
    (kindsAt(text, at) & WORD) !== 0 && mayStand(names, text, at)
  const numbered = (list: readonly Finder[]) =>
    list.map(({ key, find }) => ({ number: numberOf(key), find }))
  const namesBy = (list: readonly NameSearch[]) =>
    hasNames ? list.map((search) => nameFinder(search, beginsName)) : []
  const sought = [...markers, ...namesBy(searches.short)]
  const finders = numbered([...sought, ...namesBy(searches.others)])
  const findersInWhole = numbered([...sought, ...(hasNames ? [placeFinder(beginsName)] : [])])
  const tail = hasNames ? NAME_REACH : STOP_DEPTH
  const line = new RegExp(`${INDENTATION}(?=${inLines || '(?!)'})`, 'y')

  function find(cursor: Cursor, at: number): number {
    const { text, seen } = cursor
    const { length } = text
    const isNew = at < seen.from || text !== seen.text
    if (isNew && length - at <= SHORT) return findShort(cursor, at)
    if (seen.isDense) {
      const stop = findShort(cursor, at, at + NEAR)
      if (stop < at + NEAR) return stop
    }
    if (isNew) seen.places = []
    seen.text = text
    seen.from = at
    const { places } = seen
    let first = length
    const isWhole = cursor.names?.text === text
    for (const { number, find } of isWhole ? findersInWhole : finders) {
      let place = places[number] ?? -1
      // It need not be looked for again until it is passed.
      if (place < at) {
        place = find(text, at, cursor.names)
        places[number] = place
      }
      if (place < first) first = place
    }
    line.lastIndex = at
    if (inLines && startsLine(cursor, at) && line.test(text))
      first = Math.min(first, line.lastIndex)
    seen.isDense = first < at + NEAR
    // What only begins to match stands at the very end.
    return first < length ? first : findShort(cursor, Math.max(at, length - tail + 1))
  }

  return { find, findShort }
}

/** True where one of these stands, or the text ends with its beginning. */
function mayStand(tree: StopTree['children'], text: string, at: number): boolean {
  let next = tree
  for (let i = at; next.size > 0 && i < text.length; i++) {
    const found = next.get(text.charCodeAt(i))
    if (!found) return false
    next = found.children
  }
  return true
}

function isAsciiWord(code: number): boolean {
  return code < ASCII && isWord(code)
}

interface Finder {
  /** Those that look for the same have the same. */
  readonly key: string
  /** The next place at or behind `at`, or the length of the text. */
  find(text: string, at: number, names: NamePlaces | undefined): number
}

type KindsAt = (text: string, at: number) => number

/** Finds what one of these characters begins. */
function startFinders(tree: StopTree['children'], kindsAt: KindsAt): Finder[] {
  const starts = [...tree]
  const isLetter = ([code]: (typeof starts)[number]): boolean => code < ASCII && isWord(code)
  return [
    ...starts
      .filter((start) => !isLetter(start))
      .map(([code, next]) => symbolFinder(code, next, kindsAt)),
    ...wordFinders(new Map(starts.filter(isLetter))),
  ]
}

/** Whether the name of a tool may begin somewhere, as far as a few characters show. */
type BeginsName = (text: string, at: number) => boolean

/** Finds names of tools, also after what models put before them. */
function nameFinder({ key, next, offsets }: NameSearch, beginsName: BeginsName): Finder {
  function find(text: string, at: number): number {
    for (let place = next(text, at); place !== -1; place = next(text, place + 1)) {
      for (const offset of offsets) {
        const start = nameStart(text, at, place - offset, beginsName)
        if (start !== -1) return start
      }
    }
    return text.length
  }

  return { key: `name ${key}`, find }
}

/** Finds them where all places of names are known. */
function placeFinder(beginsName: BeginsName): Finder {
  function find(text: string, at: number, names: NamePlaces | undefined): number {
    if (!names) return text.length
    for (let place = names.next(at); place < text.length; place = names.next(place + 1)) {
      const start = nameStart(text, at, place, beginsName)
      if (start !== -1) return start
    }
    return text.length
  }

  return { key: 'names', find }
}

/** Where a name begins with what is before it, or -1: not inside a word, as far as that is ASCII. */
function nameStart(text: string, at: number, place: number, beginsName: BeginsName): number {
  if (place < at || !beginsName(text, place)) return -1
  const start = Math.max(at, place - namespaceBefore(text, place))
  return start === at || !isAsciiWord(text.charCodeAt(start - 1)) ? start : -1
}

/** Finds what begins with a character that is rare in prose: quicker than an expression for several. */
function symbolFinder(code: number, next: StopTree, kindsAt: KindsAt): Finder {
  const key = patternOf(new Map([[code, next]]), STOP_DEPTH)
  const symbol = String.fromCharCode(code)

  function find(text: string, at: number): number {
    let place = text.indexOf(symbol, at)
    while (place !== -1 && !(kindsAt(text, place) && mayStand(next.children, text, place + 1))) {
      place = text.indexOf(symbol, place + 1)
    }
    return place === -1 ? text.length : place
  }

  return { key, find }
}

/** So many words are each looked for; for more of them an expression is quicker. */
const MAX_WORDS = 8

function wordFinders(stops: StopTree['children']): Finder[] {
  const words = new Set<string>()
  // Not all of it, so that words with the same beginning are looked for once.
  for (const word of wordsOf(stops, STOP_DEPTH - 1)) if (words.add(word).size > MAX_WORDS) break
  if (words.size <= MAX_WORDS) return Array.from(words, wordFinder)
  const key = patternOf(stops, STOP_DEPTH)
  const pattern = new RegExp(key, 'g')

  function find(text: string, at: number): number {
    pattern.lastIndex = at
    return pattern.exec(text)?.index ?? text.length
  }

  return [{ key, find }]
}

/** All that may stand there, as far as it is looked at. */
function* wordsOf(stops: StopTree['children'], depth: number): Generator<string> {
  for (const [code, { children }] of stops) {
    const first = String.fromCharCode(code)
    if (depth === 1 || children.size === 0) yield first
    else for (const rest of wordsOf(children, depth - 1)) yield first + rest
  }
}

/** Looks for a word from its first symbol on, if it has one: letters are everywhere. */
function wordFinder(word: string): Finder {
  const offset = Math.max(0, word.search(/\W/))
  const part = word.slice(offset)

  function find(text: string, at: number): number {
    let place = text.indexOf(part, at + offset)
    while (place !== -1 && !text.startsWith(word, place - offset)) {
      place = text.indexOf(part, place + 1)
    }
    return place === -1 ? text.length : place - offset
  }

  return { key: word, find }
}

/** Finds what begins a line, and tells where that begins. */
function lineFinder(pattern: string, firsts: ReadonlySet<number>): Finder {
  const key = `${INDENTATION}(?=${pattern})`
  const marker = new RegExp(key, 'y')

  function find(text: string, at: number): number {
    for (let end = text.indexOf('\n', at); end !== -1; end = text.indexOf('\n', end + 1)) {
      // Mostly the first character shows that it is nothing.
      const first = text.charCodeAt(end + 1)
      if (!firsts.has(first) && !isLinePrefix(first)) continue
      marker.lastIndex = end + 1
      if (marker.test(text)) return marker.lastIndex
    }
    return text.length
  }

  return { key, find }
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
