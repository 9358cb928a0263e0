/** Reads the attributes of one tag, in pieces, up to and including its `>`. */
import { createJsonReader, type JsonReader } from '../json/reader.ts'
import type { ReadContext } from '../protocol.ts'
import { isSpace, isWord, skipSpace } from './characters.ts'
import { createSteps, type Step } from './steps.ts'

export interface Attributes {
  /** Returns the index up to which it has read. */
  read(text: string, at: number, last: boolean): number
  readonly state: 'open' | 'closed' | 'broken'
  readonly selfClosing: boolean
  /** The values as written: quotes removed, nothing decoded. */
  readonly values: ReadonlyMap<string, AttributeValue>
}

export interface AttributeValue {
  readonly raw: string
  /** The value as JSON when it was read as JSON, so that quotes inside could not end it. */
  readonly json?: string
}

/** Longest attribute name, and how far a decision may look. */
const MAX_NAME = 64
const WINDOW = 64

/** Values of the attributes in `jsonNames` may be JSON, in which the tag's own quotes do not count. */
export function createAttributes(context: ReadContext, jsonNames: ReadonlySet<string>): Attributes {
  const values = new Map<string, AttributeValue>()
  const tag = Object.assign(createSteps<Attributes['state']>(readNext), {
    values,
    selfClosing: false,
  })
  let name = ''
  let quote = ''
  let pieces: string[] = []
  let json: JsonReader | undefined
  let jsonPieces: string[] = []

  function readNext(text: string, at: number): number {
    const i = skipSpace(text, at, text.length)
    if (i === text.length) return i
    const character = text.charAt(i)
    if (character === '>') {
      tag.state = 'closed'
      return i + 1
    }
    if (character === '/') {
      if (i + 1 === text.length) return i
      tag.selfClosing = text.charAt(i + 1) === '>'
      return i + 1
    }
    if (character === '<') return broken(i)
    tag.step = readName
    return i
  }

  function readName(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + MAX_NAME)
    let end = at
    while (end < window && isNameCharacter(text.charCodeAt(end))) end++
    if (end === text.length && !last && end < at + MAX_NAME) return at
    if (end === at || end === at + MAX_NAME) return broken(end)
    name = text.slice(at, end).toLowerCase()
    tag.step = readEquals
    return end
  }

  function readEquals(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + WINDOW)
    const i = skipSpace(text, at, window)
    if (i === text.length && !last && i < at + WINDOW) return at
    // Prose behind a tag name reads like attributes without values; calls have none of these.
    if (text.charAt(i) !== '=') return broken(i)
    tag.step = readQuote
    return i + 1
  }

  function readQuote(text: string, at: number): number {
    const i = skipSpace(text, at, text.length)
    if (i === text.length) return i
    const character = text.charAt(i)
    quote = character === '"' || character === "'" ? character : ''
    pieces = []
    tag.step = jsonNames.has(name) ? chooseStyle : plain()
    return quote === '' ? i : i + 1
  }

  function plain(): Step {
    return quote === '' ? readBare : readQuoted
  }

  /** JSON is read as JSON, unless its quotes are escaped for the attribute. */
  function chooseStyle(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + WINDOW)
    const i = skipSpace(text, at, window)
    const j = skipSpace(text, i + 1, window)
    const decided = i < window && !'{['.includes(text.charAt(i))
    if (!decided && j >= text.length && !last && window < at + WINDOW) return at
    const escaped = text.charAt(j) === '\\' || text.charAt(j) === '&'
    if (decided || escaped || j >= window) {
      tag.step = plain()
      return at
    }
    openJson()
    return i
  }

  function openJson(): void {
    jsonPieces = []
    const sink = { text: (piece: string) => void jsonPieces.push(piece) }
    json = createJsonReader(sink, {
      repair: context.repair,
      maxDepth: context.limits.maxDepth,
      isCloser: (text, i) => i < text.length && `${quote}/>`.includes(text.charAt(i)),
    })
    tag.step = readJson
  }

  function readJson(text: string, at: number, last: boolean): number {
    if (!json) return at
    const end = json.read(text, at, last)
    pieces.push(text.slice(at, end))
    if (json.status === 'done') tag.step = readJsonEnd
    else if (json.status === 'failed') return broken(end)
    return end
  }

  function readJsonEnd(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + WINDOW)
    const i = skipSpace(text, at, window)
    if (i === text.length && !last && i < at + WINDOW) return at
    values.set(name, { raw: pieces.join(''), json: jsonPieces.join('') })
    tag.step = readNext
    return quote !== '' && text.charAt(i) === quote ? i + 1 : at
  }

  function readQuoted(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const character = text.charAt(i)
      if (character === '\\') {
        if (i + 1 === text.length) return keep(text, at, i)
        i++
      } else if (character === quote) {
        keep(text, at, i)
        return endValue(i + 1)
      }
    }
    return keep(text, at, text.length)
  }

  function readBare(text: string, at: number): number {
    let end = at
    while (end < text.length && !isSpace(text.charCodeAt(end)) && text.charAt(end) !== '>') end++
    if (end === text.length) {
      // A slash may belong to `/>`, which the next piece decides.
      return keep(text, at, text.endsWith('/') ? end - 1 : end)
    }
    const slash = text.charAt(end) === '>' && text.charAt(end - 1) === '/' && end > at
    const stop = slash ? end - 1 : end
    keep(text, at, stop)
    return endValue(stop)
  }

  function keep(text: string, at: number, end: number): number {
    if (end > at) pieces.push(text.slice(at, end))
    return Math.max(at, end)
  }

  function endValue(at: number): number {
    if (!values.has(name)) values.set(name, { raw: pieces.join('') })
    tag.step = readNext
    return at
  }

  function broken(at: number): number {
    tag.state = 'broken'
    return at
  }

  return tag
}

function isNameCharacter(code: number): boolean {
  // Beside words: `-`, `.` and `:`.
  return isWord(code) || code === 45 || code === 46 || code === 58
}
