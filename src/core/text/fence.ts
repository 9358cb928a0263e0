/** Code fences: lines of three or more backticks or tildes. */
import { NEWLINE, runLength } from './characters.ts'
import { overlap } from './marker.ts'

export interface Fence {
  /** Character code of the fence. */
  readonly code: number
  readonly length: number
  /** What stands behind the fence on its line, trimmed. */
  readonly info: string
  /** Characters of the whole opening, the end of its line included. */
  readonly size: number
  /** True when the line is too long to be waited for: the opening is only its marks then. */
  readonly cut: boolean
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
  const behind = at + length
  const line = text.slice(behind, Math.min(end, behind + MAX_INFO))
  const lineEnd = line.indexOf('\n')
  const cut = lineEnd === -1 && behind + MAX_INFO < end
  if (lineEnd === -1 && !cut && !last) return undefined
  const rest = lineEnd === -1 ? line : line.slice(0, lineEnd + 1)
  const info = rest.trim()
  // `` ```x``` `` on one line is inline code.
  if (info.includes(text.charAt(at))) return false
  return { code: text.charCodeAt(at), length, info, size: length + (cut ? 0 : rest.length), cut }
}

/** The name of a language is shorter; longer lines are not waited for. */
const MAX_INFO = 20

/** Whether nothing else follows the marks on their line than the name of a language, or nothing. */
export function isLanguage({ info, cut }: Fence): boolean {
  return !cut && /^[\w+#.-]*$/.test(info)
}

export interface FenceEnd {
  /** Up to here the text stands inside the block. */
  readonly inside: number
  /** Behind the closing fence. */
  readonly end: number
  readonly closed: boolean
}

/** Looks for what closes `fence`, from `at`: a line, or the end of one. What may become that is not inside. */
export function findFenceEnd(
  text: string,
  at: number,
  fence: Fence,
  atLineStart: boolean,
  last: boolean,
): FenceEnd {
  const marks = String.fromCharCode(fence.code).repeat(fence.length)
  let i = at
  let startsLine = atLineStart
  for (;;) {
    const closing = startsLine || text.startsWith(marks, i) ? closingLine(text, i, fence, last) : 0
    if (closing !== 0) {
      return { inside: i, end: closing ?? text.length, closed: closing !== undefined }
    }
    const line = text.indexOf('\n', i)
    const mark = text.indexOf(marks, i + 1)
    startsLine = line !== -1 && (mark === -1 || line < mark)
    if (!startsLine && mark === -1) break
    i = startsLine ? line + 1 : mark
  }
  const inside = last ? text.length : Math.max(at, text.length - overlap(text, marks))
  return { inside, end: text.length, closed: false }
}

/** Longest indentation of a closing fence, and how many marks and blanks too many it may have. */
const MAX_INDENT = 16
const SPACE = 32
const TAB = 9
const RETURN = 13

/** Index behind the closing fence on this line, 0 when it is none, undefined when undecided. */
function closingLine(text: string, line: number, fence: Fence, last: boolean): number | undefined {
  const start = skip(text, line, MAX_INDENT, SPACE, TAB)
  const end = skip(text, start, fence.length, fence.code)
  if (end < start + fence.length) return end === text.length && !last ? undefined : 0
  const behind = skip(text, end, MAX_INDENT, fence.code)
  const next = skip(text, behind, MAX_INDENT + 1, SPACE, RETURN)
  if (next === text.length) return last ? behind : undefined
  return text.charCodeAt(next) === NEWLINE || endsFence(text.charAt(next)) ? behind : 0
}

/** Behind the characters at `at` that are among those given, `most` of them at most. */
function skip(text: string, at: number, most: number, ...codes: readonly number[]): number {
  let i = at
  while (i < at + most && codes.includes(text.charCodeAt(i))) i++
  return i
}

/** Behind what closes a block stands nothing else, but for the token that ends a turn. */
export function endsFence(info: string): boolean {
  return info === '' || info.startsWith('<')
}
