/**
 * What the frames of a stream have in common. Most differ only in one piece of text and in a number or a
 * date: once that is known, the text of a frame is found by comparing, without reading the frame as JSON.
 *
 *     data: {"created":17,"choices":[{"delta":{"content":"Good "}}]}
 *     data: {"created":18,"choices":[{"delta":{"content":"day"}}]}
 *     ────────────────── ▲▲ ──────────────────────────── ▲▲▲ ───────
 */
import { joinedBytes } from '../joined-bytes.ts'
import { binaryText, spelledText } from './binary-text.ts'
import { bytePart, isAt, viewOf } from './byte-part.ts'

export interface FrameTemplate {
  /** The frames from here on, up to the first of another kind; undefined when that is the first. */
  match(bytes: Uint8Array, at: number, most?: number): MatchedFrames | undefined
}

interface MatchedFrames {
  /** Their texts, joined. */
  readonly text: string
  readonly count: number
  /** Where the last one ends. */
  readonly end: number
}

/** One of them. */
interface CutFrame {
  readonly text: string
  readonly end: number
}

/** A frame in which the one thing of interest is a piece of text. */
export interface TextFrame {
  readonly bytes: Uint8Array
  readonly text: string
}

interface Hole {
  /** What stands before it, quotation mark included. */
  readonly before: Uint8Array
  readonly kind: 'text' | 'string' | 'number'
}

const LITERAL = /("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/

/** Undefined when two frames are not alike, or their texts cannot be told from the rest. */
export function createFrameTemplate(one: TextFrame, other: TextFrame): FrameTemplate | undefined {
  const { bytes } = one
  const parts = binaryText(bytes).split(LITERAL)
  const others = binaryText(other.bytes).split(LITERAL)
  if (parts.length !== others.length) return undefined
  const [text, otherText] = [literalOf(one.text), literalOf(other.text)]
  const holes: Hole[] = []
  /** Where the part begins, and where the hole before it ends. */
  let at = 0
  let from = 0
  for (const [i, part] of parts.entries()) {
    const like = others[i] ?? ''
    const isText = part === text && like === otherText
    if (part !== like || isText) {
      const kind = isText ? 'text' : kindOf(part)
      if (kind === undefined || kindOf(part) !== kindOf(like)) return undefined
      const quote = kind === 'number' ? 0 : 1
      holes.push({ before: bytes.subarray(from, at + quote), kind })
      from = at + part.length - quote
    }
    at += part.length
  }
  const isClear = holes.filter(({ kind }) => kind === 'text').length === 1
  return isClear ? templateOf(holes, bytes.subarray(from)) : undefined
}

/** Undefined for what stands between the literals. */
function kindOf(part: string): 'string' | 'number' | undefined {
  if (part.startsWith('"')) return 'string'
  return /^-?\d/.test(part) ? 'number' : undefined
}

/** A text as most servers write it. */
function literalOf(text: string): string {
  return binaryText(encoder.encode(JSON.stringify(text)))
}

const encoder = new TextEncoder()

/** So that a text that no string is written with costs no more than so many frames are looked at for it. */
const MOST_FRAMES = 256

/**
 * Of the frames that were matched last: where the text of each begins and ends, where the frame does, and
 * what is special about the text.
 */
const places = new Int32Array(4 * MOST_FRAMES)

function templateOf(holes: readonly Hole[], rest: Uint8Array): FrameTemplate {
  const befores = holes.map(({ before }) => bytePart(before))
  const kinds = holes.map(({ kind }) => kind)
  const last = bytePart(rest)
  const [start = last] = befores
  // The end of one frame and the beginning of the next are compared in one go.
  const between = bytePart(joinedBytes([last.bytes, start.bytes]))

  /** Where the text of the frame is that was looked at last, and what it has that is special. */
  let textStart = 0
  let textEnd = 0
  let marks = 0

  /** From the first hole to the end of the last one; -1 when something else is there. */
  function passHoles(view: DataView, at: number, end: number): number {
    let to = at
    // By index: an iterator costs as much as all the rest.
    for (let i = 0; i < kinds.length && to >= 0; i++) {
      const before = befores[i] ?? start
      const kind = kinds[i]
      if (i > 0) {
        if (!isAt(view, to, end, before)) return -1
        to += before.bytes.length
      }
      if (kind === 'text') to = passText(view, to, end)
      else to = kind === 'number' ? numberEnd(view, to, end) : stringEnd(view, to, end)
    }
    return to
  }

  function passText(view: DataView, at: number, end: number): number {
    textStart = at
    textEnd = stringEnd(view, at, end)
    marks = marksSeen
    return textEnd
  }

  function match(bytes: Uint8Array, at: number, most = MOST_FRAMES): MatchedFrames | undefined {
    const view = viewOf(bytes)
    const { length } = bytes
    let count = 0
    let end = at
    let allMarks = 0
    let to = isAt(view, at, length, start) ? at + start.bytes.length : -1
    while (to >= 0) {
      const tail = passHoles(view, to, length)
      if (tail < 0 || (count > 0 && isContinuation(view.getUint8(textStart)))) break
      const hasNext = isAt(view, tail, length, between)
      if (!hasNext && !isAt(view, tail, length, last)) break
      end = tail + last.bytes.length
      places[4 * count] = textStart
      places[4 * count + 1] = textEnd
      places[4 * count + 2] = end
      places[4 * count + 3] = marks
      allMarks |= marks
      count++
      to = hasNext && count < most ? tail + between.bytes.length : -1
    }
    if (count === 0) return undefined
    const text =
      count === 1 ? textIn(bytes, places[0], places[1], allMarks) : joined(view, count, allMarks)
    return text === undefined ? undefined : { text, count, end }
  }

  return { match }
}

/** Each of the frames that were matched last, with its text and its end. */
export function framesOf(bytes: Uint8Array, { text, count }: MatchedFrames): CutFrame[] {
  const frames: CutFrame[] = []
  let at = 0
  for (let i = 0; i < 4 * count; i += 4) {
    const written = textIn(bytes, places[i], places[i + 1], places[i + 3])
    const from = at
    at += written?.length ?? 0
    frames.push({ text: text.slice(from, at), end: places[i + 2] ?? 0 })
  }
  return frames
}

// ── texts ───────────────────────────────────────────────────────────────────────────────────────

const space = new Uint8Array(4096)

/** The texts at the places that were found. */
function joined(view: DataView, count: number, marks: number): string | undefined {
  let length = 0
  for (let i = 0; i < count; i++) length += (places[4 * i + 1] ?? 0) - (places[4 * i] ?? 0)
  const bytes = length > space.length ? new Uint8Array(length) : space
  let to = 0
  for (let i = 0; i < count; i++) {
    const end = places[4 * i + 1] ?? 0
    for (let at = places[4 * i] ?? 0; at < end; at++) bytes[to++] = view.getUint8(at)
  }
  return textIn(bytes, 0, length, marks)
}

/** The text that is written so; undefined when no string of JSON is. */
function textIn(bytes: Uint8Array, start = 0, end = 0, marks = 0): string | undefined {
  const text =
    (marks & BEYOND) !== 0 ? spelledText(bytes, start, end) : binaryText(bytes, start, end)
  if ((marks & ESCAPE) === 0) return text
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return undefined
  }
}

// ── bytes ───────────────────────────────────────────────────────────────────────────────────────

const PLAIN = 0
const QUOTE = 1
/** What stands behind it is not what it looks like. */
const ESCAPE = 2
/** A part of a character outside ASCII. */
const BEYOND = 4
/** What no string has. */
const CONTROL = 8

const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 32) return CONTROL
  if (byte > 127) return BEYOND
  return byte === 34 ? QUOTE : byte === 92 ? ESCAPE : PLAIN
})

const LETTER_U = 117

/** The kinds of bytes in the last string that are not plain. */
let marksSeen = 0

/** Where a string ends; -1 when it does not. */
function stringEnd(view: DataView, start: number, end: number): number {
  marksSeen = 0
  let at = start
  while (at < end) {
    const kind = KINDS[view.getUint8(at)] ?? CONTROL
    if (kind === PLAIN) at++
    else if (kind === QUOTE) return at
    else if (kind === CONTROL) return -1
    else {
      marksSeen |= kind
      at += kind === BEYOND ? 1 : escapeLength(view, at, end)
    }
  }
  return -1
}

/** No more of it than there is, so that the next text does not complete it. */
function escapeLength(view: DataView, at: number, end: number): number {
  if (at + 1 >= end || view.getUint8(at + 1) !== LETTER_U) return 2
  let length = 2
  while (length < 6 && at + length < end && isHex(view.getUint8(at + length))) length++
  return length === 6 ? length : end
}

function isHex(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 102)
}

/** Not the first byte of a character: it must not be taken for one with the end of another text. */
function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0
}

function numberEnd(view: DataView, start: number, end: number): number {
  let at = start
  while (at < end && isInNumber(view.getUint8(at))) at++
  return at
}

/** Digits, and `+-.eE`. */
function isInNumber(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || code === 45 || code === 46 || (code | 32) === 101 || code === 43
  )
}
