/**
 * What the frames of a stream have in common. Most differ only in one piece of text and in a number or a
 * date: once that is known, the text of a frame is found by comparing, without reading the frame as JSON.
 *
 *     data: {"created":17,"choices":[{"delta":{"content":"Good "}}]}
 *     data: {"created":18,"choices":[{"delta":{"content":"day"}}]}
 *     ────────────────── ▲▲ ──────────────────────────── ▲▲▲ ───────
 *
 * Frames are given as binary text, one character for each byte.
 */
import { binaryText, spelledText } from './binary-text.ts'

export interface FrameTemplate {
  /**
   * The frames from here on, up to the first of another kind; undefined when that is the first.
   * `isOne`: no more than one.
   */
  match(source: string, at: number, isOne?: boolean): MatchedFrames | undefined
}

export interface MatchedFrames {
  /** Their texts, joined. */
  readonly text: string
  readonly count: number
  /** Where the last one ends. */
  readonly end: number
  readonly source: string
  /** For each frame: where its text begins and ends, and where it ends itself. */
  readonly places: readonly number[]
}

export interface MatchedFrame {
  readonly text: string
  readonly end: number
}

/** A frame in which the one thing of interest is a piece of text. */
export interface TextFrame {
  readonly frame: string
  readonly text: string
}

interface Hole {
  /** What stands before it, quotation mark included. */
  readonly before: string
  readonly kind: 'text' | 'string' | 'number'
}

const LITERAL = /("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/

/** Undefined when two frames are not alike, or their texts cannot be told from the rest. */
export function createFrameTemplate(one: TextFrame, other: TextFrame): FrameTemplate | undefined {
  const parts = one.frame.split(LITERAL)
  const others = other.frame.split(LITERAL)
  if (parts.length !== others.length) return undefined
  const [text, otherText] = [literalOf(one.text), literalOf(other.text)]
  const holes: Hole[] = []
  let before: string[] = []
  for (const [i, part] of parts.entries()) {
    const like = others[i] ?? ''
    const isText = part === text && like === otherText
    if (part === like && !isText) {
      before.push(part)
      continue
    }
    const kind = isText ? 'text' : kindOf(part)
    if (kind === undefined || kindOf(part) !== kindOf(like)) return undefined
    const quote = kind === 'number' ? '' : '"'
    // Joined, because what is added up is kept in pieces, and compared as slowly.
    holes.push({ before: [...before, quote].join(''), kind })
    before = [quote]
  }
  const isClear = holes.filter(({ kind }) => kind === 'text').length === 1
  return isClear ? templateOf(holes, before.join('')) : undefined
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

function stringIn(literal: string): string | undefined {
  try {
    return String(JSON.parse(spelledText(literal)))
  } catch {
    return undefined
  }
}

const QUOTE = 34
const BACKSLASH = 92
const SPACE = 32
const ASCII = 127

function templateOf(holes: readonly Hole[], last: string): FrameTemplate {
  const befores = holes.map(({ before }) => before)
  const kinds = holes.map(({ kind }) => kind)
  const [start = ''] = befores
  // The end of one frame and the beginning of the next are compared in one go.
  const between = [last, start].join('')

  /** Where the text of the frame is that was looked at last, and what was seen in it. */
  let textStart = 0
  let textEnd = 0
  let isEscaped = false
  let bits = 0

  /** From the first hole to the end of the last one; -1 when something else is there. */
  function passHoles(source: string, at: number): number {
    let to = at
    // By index: an iterator costs as much as all the rest.
    for (let i = 0; i < kinds.length && to >= 0; i++) {
      const before = befores[i] ?? ''
      const kind = kinds[i]
      if (i > 0) {
        if (!isAt(source, to, before)) return -1
        to += before.length
      }
      if (kind === 'text') to = passText(source, to)
      else to = kind === 'number' ? numberEnd(source, to) : stringEnd(source, to)
    }
    return to
  }

  function passText(source: string, at: number): number {
    let to = at
    isEscaped = false
    for (let code = source.charCodeAt(to); code !== QUOTE; code = source.charCodeAt(to)) {
      if (isUnwritten(code)) return -1
      if (code === BACKSLASH) {
        isEscaped = true
        to++
      }
      bits |= code
      to++
    }
    textStart = at
    textEnd = to
    return to
  }

  function match(source: string, at: number, isOne = false): MatchedFrames | undefined {
    const places: number[] = []
    /** Texts as they are written, which is mostly all there is to them. */
    let written = ''
    let text = ''
    bits = 0
    let to = isAt(source, at, start) ? at + start.length : -1
    while (to >= 0) {
      const tail = passHoles(source, to)
      if (tail < 0) break
      const hasNext = isAt(source, tail, between)
      if (!hasNext && !isAt(source, tail, last)) break
      if (!isEscaped) written += source.slice(textStart, textEnd)
      else {
        const value = stringIn(source.slice(textStart - 1, textEnd + 1))
        if (value === undefined) break
        text += (bits > ASCII ? spelledText(written) : written) + value
        written = ''
      }
      places.push(textStart, textEnd, tail + last.length)
      to = hasNext && !isOne ? tail + between.length : -1
    }
    const end = places[places.length - 1]
    if (end === undefined) return undefined
    text += bits > ASCII ? spelledText(written) : written
    return { text, count: places.length / 3, end, source, places }
  }

  return { match }
}

/** Each of the frames with its text and its end. */
export function framesOf({ source, places }: MatchedFrames): MatchedFrame[] {
  const frames: MatchedFrame[] = []
  for (let i = 0; i < places.length; i += 3) {
    const [textStart = 0, textEnd = 0, end = 0] = places.slice(i, i + 3)
    const written = source.slice(textStart, textEnd)
    const isEscaped = written.includes('\\')
    const text = isEscaped ? stringIn(`"${written}"`) : spelledText(written)
    frames.push({ text: text ?? '', end })
  }
  return frames
}

/** Slices are compared as blocks of memory; `startsWith` goes character by character. */
function isAt(source: string, at: number, part: string): boolean {
  return source.slice(at, at + part.length) === part
}

/** Where a string ends; -1 when it does not, or when no string of JSON is written so. */
function stringEnd(source: string, start: number): number {
  let end = start
  for (let code = source.charCodeAt(end); code !== QUOTE; code = source.charCodeAt(end)) {
    if (isUnwritten(code)) return -1
    end += code === BACKSLASH ? 2 : 1
  }
  return end
}

/** What no string of JSON is written with, and what stands behind the end of the source, where there is no number. */
function isUnwritten(code: number): boolean {
  return !(code >= SPACE)
}

function numberEnd(source: string, start: number): number {
  let end = start
  while (isInNumber(source.charCodeAt(end))) end++
  return end
}

/** Digits, and `+-.eE`. */
function isInNumber(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || code === 45 || code === 46 || (code | 32) === 101 || code === 43
  )
}
