/**
 * Syntax factory: calls written as in a program.
 *
 *     get_weather(city="Oslo", days=3)
 *
 * Prose and code are full of these, so with tools only their names begin a call.
 */
import { parseArguments } from '../arguments/parse.ts'
import { splitArguments } from '../arguments/split.ts'
import {
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { isSpace, isWord } from './characters.ts'
import { marker } from './marker.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_'
const MAX_NAME = 128
/** Longest text between the parentheses. */
const MAX_ARGUMENTS = 64 * 1024
const LINE_WINDOW = 64

export function functionCalls(tools: ToolTable): readonly Opener[] {
  if (!tools.known) return [anyName()]
  return tools.names.map((name) => ({
    ...marker(`${name}(`),
    boundary: 'word',
    keep: true,
    open: (context) => readCall(context),
  }))
}

function anyName(): Opener {
  return { prefix: [LETTERS], boundary: 'word', keep: true, match: matchName, open: readCall }
}

function matchName(text: string, at: number, end: number, last: boolean): number {
  const limit = Math.min(end, at + MAX_NAME)
  let i = at
  while (i < limit && isWord(text.charCodeAt(i)) && text.charCodeAt(i) < 128) i++
  if (i === end && !last && i < at + MAX_NAME) return NEED_MORE
  return i < limit && text.charAt(i) === '(' ? i - at + 1 : NO_MATCH
}

function readCall(context: ReadContext): Reader {
  const reader: { read: Reader['read']; state: Reader['state'] } = { read, state: 'open' }
  let name = ''
  const pieces: string[] = []
  const scan = createScan()
  let closed = false

  function read(text: string, at: number, last: boolean): number {
    let i = at
    if (name === '') {
      i = text.indexOf('(', at)
      name = text.slice(at, i)
      i++
    }
    if (!closed) {
      const end = scan.advance(text, i)
      pieces.push(text.slice(i, end))
      i = end
      closed = scan.state === 'closed'
    }
    if (closed) return afterCall(text, i, last)
    if (scan.state === 'open' && !last) return i
    reader.state = 'declined'
    return i
  }

  /** In a message that must be nothing but calls, other words behind a call make it prose. */
  function afterCall(text: string, at: number, last: boolean): number {
    if (context.alone) {
      const window = Math.min(text.length, at + LINE_WINDOW)
      let i = at
      while (i < window && isSpace(text.charCodeAt(i)) && text.charAt(i) !== '\n') i++
      if (i === text.length && !last && i < at + LINE_WINDOW) return at
      const lineEnds = i === text.length || text.charAt(i) === '\n' || text.charAt(i) === ';'
      if (!lineEnds || isSignature()) {
        reader.state = 'declined'
        return at
      }
    }
    endCall(at)
    return at
  }

  /** `search(query)` shows how a tool is called; a call has values. */
  function isSignature(): boolean {
    const parts = splitArguments(pieces.join('').slice(0, -1))
    return parts.some(
      (part) => /^[a-z_]\w*\??$/i.test(part) && !/^(?:true|false|none|null)$/i.test(part),
    )
  }

  function endCall(end: number): void {
    const words = pieces.join('').slice(0, -1)
    const draft = context.begin(name)
    reader.state = draft ? 'done' : 'declined'
    if (!draft) return
    const parsed = parseArguments(words, draft.schema)
    const json = JSON.stringify(parsed.arguments)
    draft.end({ json, repairs: parsed.repairs, end, raw: words })
  }

  return reader
}

interface Scan {
  /** Reads up to and including the closing parenthesis, or to the end. */
  advance(text: string, at: number): number
  readonly state: 'open' | 'closed' | 'given-up'
}

/** Finds the parenthesis that closes the call: quotes and brackets inside are respected. */
function createScan(): Scan {
  const scan: { advance: Scan['advance']; state: Scan['state'] } = { advance, state: 'open' }
  let depth = 1
  let quote = ''
  let escaped = false
  /** True where an argument or a part of one can begin, so that a quote opens a text. */
  let atStart = true
  let newlines = 0
  let length = 0

  function step(character: string): void {
    if (escaped) escaped = false
    else if (quote !== '') inQuote(character)
    else outside(character)
  }

  function inQuote(character: string): void {
    if (character === '\\') escaped = true
    else if (character === quote) quote = ''
  }

  function outside(character: string): void {
    if ((character === '"' || character === "'") && atStart) quote = character
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth--
    // A paragraph ends here: whatever this is, it is no call.
    newlines = character === '\n' ? newlines + 1 : newlines * Number(/\s/.test(character))
    if (newlines > 1) scan.state = 'given-up'
    atStart = /[\s([{,=:]/.test(character)
    if (depth === 0) scan.state = 'closed'
  }

  function advance(text: string, at: number): number {
    let i = at
    while (i < text.length && scan.state === 'open') {
      step(text.charAt(i))
      i++
      if (++length > MAX_ARGUMENTS && scan.state === 'open') scan.state = 'given-up'
    }
    return i
  }

  return scan
}
