/**
 * What the frames of a stream have in common. Most differ only in their text and in a number or a date:
 * once that is known, the text of a frame is found by comparing, without reading the frame as JSON.
 *
 *     data: {"created":17,"choices":[{"delta":{"content":"Good "}}]}
 *     data: {"created":18,"choices":[{"delta":{"content":"day"}}]}
 *     ────────────────── ▲▲ ──────────────────────────── ▲▲▲ ───────
 */

export interface FrameTemplate {
  /** The frames from here on, up to the first of another kind. */
  matchAll(source: string, at: number): MatchedFrames
}

export interface MatchedFrames {
  /** The text of each. */
  readonly texts: readonly string[]
  /** How many bytes each and those before it have. */
  readonly byteEnds: readonly number[]
  /** Where the last one ends. */
  readonly end: number
}

/** A frame in which the one thing of interest is a piece of text. */
export interface TextFrame {
  readonly frame: string
  readonly text: string
}

interface Literal {
  readonly source: string
  readonly start: number
  readonly end: number
}

interface Hole {
  /** What stands before it, quotation mark included. */
  readonly before: string
  readonly kind: 'text' | 'string' | 'number'
}

const LITERALS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** Undefined when two frames are not alike. */
export function createFrameTemplate(one: TextFrame, other: TextFrame): FrameTemplate | undefined {
  const literals = literalsOf(one.frame)
  const others = literalsOf(other.frame)
  if (literals.length !== others.length) return undefined
  const texts = literals.flatMap(({ source }, i) =>
    stringIn(source) === one.text && stringIn(others[i]?.source ?? '') === other.text ? [i] : [],
  )
  const [textAt] = texts
  if (textAt === undefined || texts.length > 1) return undefined
  const isHole = (i: number) => i === textAt || literals[i]?.source !== others[i]?.source
  const { holes, last } = cut(one.frame, literals, textAt, isHole)
  const alike = cut(other.frame, others, textAt, isHole)
  const isAlike = holes.every(
    ({ before, kind }, i) => before === alike.holes[i]?.before && kind === alike.holes[i]?.kind,
  )
  return isAlike && last === alike.last ? templateOf(holes, last) : undefined
}

function literalsOf(frame: string): Literal[] {
  return Array.from(frame.matchAll(LITERALS), ({ 0: source, index }) => {
    return { source, start: index, end: index + source.length }
  })
}

function stringIn(source: string): unknown {
  if (!source.startsWith('"')) return undefined
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

/** The frame as holes and what stands between them. */
function cut(
  frame: string,
  literals: readonly Literal[],
  textAt: number,
  isHole: (i: number) => boolean,
): { readonly holes: readonly Hole[]; readonly last: string } {
  const holes: Hole[] = []
  let from = 0
  for (const [i, { source, start, end }] of literals.entries()) {
    if (!isHole(i)) continue
    const isString = source.startsWith('"')
    const kind = i === textAt ? 'text' : isString ? 'string' : 'number'
    holes.push({ before: frame.slice(from, isString ? start + 1 : start), kind })
    from = isString ? end - 1 : end
  }
  return { holes, last: frame.slice(from) }
}

const QUOTE = '"'
const BACKSLASH = 92
const SPACE = 32
const ASCII = 127
const REPLACEMENT = 0xfffd

function templateOf(holes: readonly Hole[], last: string): FrameTemplate {
  const [first, ...others] = holes.map(({ before }) => before)
  const start = first ?? ''
  // The end of one frame and the beginning of the next are compared in one go.
  const between = last + start
  const fixed = [start, ...others, last].join('')
  const fixedExtra = new TextEncoder().encode(fixed).length - fixed.length
  /** Of the frame that was looked at last. */
  let text = ''
  let extra = 0

  /** From the first hole to the end of the last one; -1 when something else is there. */
  function passHoles(source: string, at: number): number {
    let to = at
    extra = fixedExtra
    // By index: making pairs of index and hole costs as much as all the rest.
    for (let i = 0; i < holes.length; i++) {
      const { before, kind } = holes[i] as Hole
      if (i > 0 && !isAt(source, to, before)) return -1
      const from = i > 0 ? to + before.length : to
      to = kind === 'number' ? numberEnd(source, from) : source.indexOf(QUOTE, from)
      const more = extraBytes(source, from, to)
      if (to < 0 || more < 0 || source.charCodeAt(to - 1) === BACKSLASH) return -1
      extra += more
      if (kind === 'text') text = source.slice(from, to)
    }
    return isReadable() ? to : -1
  }

  function isReadable(): boolean {
    if (!text.includes('\\')) return true
    const value = stringIn(`"${text}"`)
    if (typeof value !== 'string') return false
    text = value
    return true
  }

  function matchAll(source: string, at: number): MatchedFrames {
    const texts: string[] = []
    const byteEnds: number[] = []
    let end = at
    let bytes = 0
    let to = isAt(source, at, start) ? at + start.length : -1
    while (to >= 0) {
      const tail = passHoles(source, to)
      const hasNext = tail >= 0 && isAt(source, tail, between)
      if (tail < 0 || !(hasNext || isAt(source, tail, last))) break
      bytes += tail + last.length - end + extra
      end = tail + last.length
      texts.push(text)
      byteEnds.push(bytes)
      to = hasNext ? tail + between.length : -1
    }
    return { texts, byteEnds, end }
  }

  return { matchAll }
}

/** Slices are compared as blocks of memory; `startsWith` goes character by character. */
function isAt(source: string, at: number, part: string): boolean {
  return source.slice(at, at + part.length) === part
}

/** How many bytes more than characters; -1 for what cannot stand in JSON or was no text. */
function extraBytes(source: string, start: number, end: number): number {
  let extra = 0
  for (let i = start; i < end; i++) {
    const code = source.charCodeAt(i)
    if (code > ASCII) {
      if (code === REPLACEMENT) return -1
      // Each half of a pair stands for two bytes.
      extra += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
    } else if (code < SPACE) return -1
  }
  return extra
}

function numberEnd(source: string, start: number): number {
  let end = start
  while (end < source.length && '0123456789.eE+-'.includes(source.charAt(end))) end++
  return end
}
