/** Code fences: lines of three or more backticks or tildes. */
import { NEWLINE, runLength } from './characters.ts'

export interface Fence {
  /** Character code of the fence. */
  readonly code: number
  readonly length: number
  /** What stands behind the fence on its line, trimmed. */
  readonly info: string
  /** Characters of the whole opening, the end of its line included. */
  readonly size: number
  /** True when the line is too long to be waited for: the opening is only its marks then. */
  readonly cut?: boolean
}

/**
 * The fence at `at`; false when there is none; undefined when its line has not ended yet. Looks no
 * further than `end`; `last` says that nothing stands there.
 */
export function matchFence(
  text: string,
  at: number,
  end: number,
  last: boolean,
): Fence | false | undefined {
  const length = runLength(text, at, end)
  if (at + length === end && !last) return undefined
  if (length < 3) return false
  const limit = Math.min(end, at + length + MAX_INFO)
  let lineEnd = at + length
  while (lineEnd < limit && text.charCodeAt(lineEnd) !== NEWLINE) lineEnd++
  if (lineEnd < limit) return lineFence(text, at, length, lineEnd, lineEnd + 1)
  if (limit < end) return lineFence(text, at, length, limit, at + length, true)
  return last ? lineFence(text, at, length, end, end) : undefined
}

/** The name of a language is shorter; longer lines are not waited for. */
const MAX_INFO = 20

function lineFence(
  text: string,
  at: number,
  length: number,
  lineEnd: number,
  after: number,
  cut = false,
): Fence | false {
  const info = text.slice(at + length, lineEnd).trim()
  const code = text.charCodeAt(at)
  // `` ```x``` `` on one line is inline code.
  if (info.includes(text.charAt(at))) return false
  return { code, length, info, size: after - at, ...(cut ? { cut } : {}) }
}

export interface FenceEnd {
  /** Up to here the text stands inside the block. */
  readonly inside: number
  /** Behind the closing fence. */
  readonly end: number
  readonly closed: boolean
}

/** Looks for the line that closes `fence`, from `at`. What may become that line is not inside. */
export function findFenceEnd(
  text: string,
  at: number,
  fence: Fence,
  atLineStart: boolean,
  last: boolean,
): FenceEnd {
  let line = at
  if (!atLineStart) {
    const lineEnd = text.indexOf('\n', at)
    if (lineEnd === -1) return open(text.length, text.length)
    line = lineEnd + 1
  }
  for (;;) {
    const closing = closingLine(text, line, fence, last)
    if (closing === undefined) return open(line, text.length)
    if (closing > 0) return { inside: line, end: closing, closed: true }
    const lineEnd = text.indexOf('\n', line)
    if (lineEnd === -1) return open(text.length, text.length)
    line = lineEnd + 1
  }
}

function open(inside: number, end: number): FenceEnd {
  return { inside, end, closed: false }
}

/** Longest indentation of a closing fence. */
const MAX_INDENT = 16

/** Index behind the closing fence on this line, 0 when it is none, undefined when undecided. */
function closingLine(text: string, line: number, fence: Fence, last: boolean): number | undefined {
  const indentEnd = Math.min(text.length, line + MAX_INDENT)
  let i = line
  while (i < indentEnd && (text.charCodeAt(i) === 32 || text.charCodeAt(i) === 9)) i++
  if (i === text.length) return last ? 0 : undefined
  if (text.charCodeAt(i) !== fence.code) return 0
  const runEnd = Math.min(text.length, i + fence.length)
  const run = runLength(text, i, runEnd)
  if (i + run === text.length && run < fence.length) return last ? 0 : undefined
  if (run < fence.length) return 0
  return afterFence(text, i + run, fence.code, last)
}

function afterFence(text: string, at: number, code: number, last: boolean): number | undefined {
  let i = at
  while (i < text.length && text.charCodeAt(i) === code && i - at < MAX_INDENT) i++
  const behind = i
  while (i < text.length && (text.charCodeAt(i) === 32 || text.charCodeAt(i) === 13)) {
    if (i - behind > MAX_INDENT) return 0
    i++
  }
  if (i === text.length) return last ? behind : undefined
  return text.charCodeAt(i) === NEWLINE || endsFence(text.charAt(i)) ? behind : 0
}

/** Behind what closes a block stands nothing else, but for the token that ends a turn. */
export function endsFence(info: string): boolean {
  return info === '' || info.startsWith('<')
}
