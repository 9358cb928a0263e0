/** Code fences: lines of three or more backticks or tildes. */
import { NEED_MORE, NO_MATCH } from '../protocol.ts'
import { runLength } from './characters.ts'
import { overlap } from './marker.ts'
import { ahead, type PatternReader, patternReader, sequence } from './pattern.ts'

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

/**
 * Where something may begin on the line of the fence at `at`: right after the marks, and after a language.
 * Undefined: not known yet.
 */
export function lineContents(
  text: string,
  at: number,
  end: number,
  last: boolean,
): readonly number[] | undefined {
  const length = runLength(text, at, end)
  const behind = at + length
  const part = text.slice(behind, Math.min(end, behind + MAX_INFO))
  if (length < 3) return []
  if (part.length < MAX_INFO && !last && !part.includes('\n')) return undefined
  return [/^[ \t]*/, /^[ \t]*[\w+#.-]{1,16}[ \t]*/].flatMap((pattern) => {
    const lead = pattern.exec(part)?.[0].length ?? part.length
    return /^\S/.test(part.slice(lead)) ? [behind + lead] : []
  })
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

/** What closes a fence, and what follows it. Compiled once: a reply may have thousands of blocks. */
function closing(end: string): PatternReader {
  // The last figure: so many marks at the end of a reply are one as well.
  return patternReader(sequence('[ \\t]{0,16}', '[`~]{1,80}', ahead('[ \\r]{0,16}', end)), 3)
}

const OF_LINE = closing('[\\n<]')
/** Behind words, what follows may belong to them. */
const IN_LINE = closing('\\n')

/** So much of a block is looked through at once, for not more of it is read. */
const ENOUGH = 1024

/** Looks for what closes `fence`, from `at`: a line, or the end of one. What may become that is not inside. */
export function findFenceEnd(
  text: string,
  at: number,
  { code, length }: Fence,
  atLineStart: boolean,
  last: boolean,
): FenceEnd {
  const marks = String.fromCharCode(code).repeat(length)
  let i = at
  let startsLine = atLineStart
  let next = text.indexOf(marks, at)
  for (;;) {
    const reader = startsLine ? OF_LINE : i === next ? IN_LINE : undefined
    const size = reader?.match(text, i, text.length, last) ?? NO_MATCH
    if (size === NEED_MORE || i > at + ENOUGH) {
      return { inside: i, end: text.length, closed: false }
    }
    if (
      text
        .slice(i, i + size)
        .trimStart()
        .startsWith(marks)
    ) {
      return { inside: i, end: i + size, closed: true }
    }
    const line = text.indexOf('\n', i)
    if (next === i) next = text.indexOf(marks, i + 1)
    startsLine = line !== -1 && (next === -1 || line < next)
    if (!startsLine && next === -1) break
    i = startsLine ? line + 1 : next
  }
  const inside = last ? text.length : Math.max(at, text.length - overlap(text, marks))
  return { inside, end: text.length, closed: false }
}

/** Behind what closes a block stands nothing else, but for the token that ends a turn. */
export function endsFence(info: string): boolean {
  return info === '' || info.startsWith('<')
}
