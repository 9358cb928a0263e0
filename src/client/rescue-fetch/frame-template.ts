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
  /** The frames from here on, up to the first of another kind; undefined when that is the first. */
  match(source: string, at: number, most?: number): MatchedFrames | undefined
}

export interface MatchedFrames {
  /** Their texts, joined. */
  readonly text: string
  readonly count: number
  /** Where the last one ends. */
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

/** What is not to be taken as it is written, or must not be written so. */
const SPECIAL = /[^ -[\]-~]/

/** The text that is written so; undefined when no string of JSON is. */
function textOf(written: string): string | undefined {
  if (!SPECIAL.test(written)) return written
  try {
    return String(JSON.parse(spelledText(`"${written}"`)))
  } catch {
    return undefined
  }
}

/** So that a text that no string is written with costs no more than so many frames are looked at for it. */
const MOST_FRAMES = 256

function templateOf(holes: readonly Hole[], last: string): FrameTemplate {
  const befores = holes.map(({ before }) => before)
  const kinds = holes.map(({ kind }) => kind)
  const [start = ''] = befores
  // The end of one frame and the beginning of the next are compared in one go.
  const between = [last, start].join('')

  /** Where the text of the frame is that was looked at last. */
  let textStart = 0
  let textEnd = 0

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
      else to = kind === 'number' ? numberEnd(source, to) : lineStringEnd(source, to)
    }
    return to
  }

  function passText(source: string, at: number): number {
    textStart = at
    textEnd = stringEnd(source, at)
    return textEnd
  }

  function match(source: string, at: number, most = MOST_FRAMES): MatchedFrames | undefined {
    let written = ''
    let count = 0
    let end = at
    let to = isAt(source, at, start) ? at + start.length : -1
    while (to >= 0) {
      const tail = passHoles(source, to)
      if (tail < 0) break
      const hasNext = isAt(source, tail, between)
      if (!hasNext && !isAt(source, tail, last)) break
      written += source.slice(textStart, textEnd)
      count++
      end = tail + last.length
      to = hasNext && count < most ? tail + between.length : -1
    }
    const text = count > 0 ? textOf(written) : undefined
    return text === undefined ? undefined : { text, count, end }
  }

  return { match }
}

/** Each of the frames with its text and its end. */
export function framesOf(
  { match }: FrameTemplate,
  source: string,
  { at, end }: { readonly at: number; readonly end: number },
): MatchedFrames[] {
  const frames: MatchedFrames[] = []
  let next = at < end ? match(source, at, 1) : undefined
  while (next) {
    frames.push(next)
    next = next.end < end ? match(source, next.end, 1) : undefined
  }
  return frames
}

/** Slices are compared as blocks of memory; `startsWith` goes character by character. */
function isAt(source: string, at: number, part: string): boolean {
  return source.slice(at, at + part.length) === part
}

const QUOTE = '"'
const BACKSLASH = 92

/** Where a string ends; -1 when it does not. */
function stringEnd(source: string, start: number): number {
  let end = source.indexOf(QUOTE, start)
  while (end > start && isEscaped(source, start, end)) end = source.indexOf(QUOTE, end + 1)
  return end
}

function isEscaped(source: string, start: number, at: number): boolean {
  let first = at
  while (first > start && source.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

/** The same for one that is not looked at: it must not have taken the end of its line for a part of it. */
function lineStringEnd(source: string, start: number): number {
  const end = stringEnd(source, start)
  return source.slice(start, end).includes('\n') ? -1 : end
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
