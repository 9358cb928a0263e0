/** What stands between tokens: space, comments, and characters that JSON does not have there. */
import type { Repair, RepairCode } from '../issue.ts'
import { BACKSLASH, DOT, ELLIPSIS, HASH, isExoticSpace, isSpace, isWord, SLASH } from './codes.ts'
import { WINDOW } from './look-ahead.ts'
import {
  closerAt,
  codeAt,
  END,
  FIRST_KEY,
  IN_BLOCK_COMMENT,
  IN_LINE_COMMENT,
  INNER,
  type Reading,
  ROOT_VALUE,
  reportAround,
  WAIT,
  wait,
} from './reading.ts'
import { replace } from './tape.ts'
import { addClosers, addNull } from './values.ts'

/** Longer runs of whitespace between tokens are cut: they must not be kept back without limit. */
const MAX_SPACE = WINDOW

export function readSpace(r: Reading, at: number): number {
  let i = at + 1
  while (i < r.text.length && isSpace(codeAt(r, i))) i++
  const allowed = r.state === ROOT_VALUE ? 0 : Math.max(0, MAX_SPACE - r.spaceRun)
  r.spaceRun += i - at
  if (i - at > allowed) replace(r, at + allowed, i, '')
  return i
}

/**
 * Whether nothing can be read at `at` because the closer of the enclosing block stands there, which
 * ends all that is open, or may stand there.
 */
export function stopsAt(r: Reading, at: number): boolean {
  const closer = closerAt(r, at)
  if (closer === WAIT) r.waiting = true
  if (closer === END) {
    if (r.state === ROOT_VALUE) addNull(r, at)
    addClosers(r, 0, at)
  }
  return closer !== INNER
}

export function dropCharacters(
  r: Reading,
  at: number,
  length: number,
  code: RepairCode,
  risk: Repair['risk'],
): number {
  const end = at + length
  if (!reportAround(r, code, risk, r.text.slice(at, end), '')) return at
  replace(r, at, end, '')
  return end
}

/**
 * A character that cannot continue JSON. Handles what is the same in every state and returns
 * the next index, or `at` itself, not waiting, when the state has to deal with it.
 */
export function readOdd(r: Reading, at: number): number {
  const { text, last } = r
  if (stopsAt(r, at)) return at
  const code = text.charCodeAt(at)
  if (isExoticSpace(code)) return dropCharacters(r, at, 1, 'dropped-text', 'safe')
  if (code === SLASH || code === HASH) return readCommentStart(r, at)
  if (code === ELLIPSIS) return dropCharacters(r, at, 1, 'dropped-ellipsis', 'guess')
  if (code === DOT) {
    if (text.startsWith('...', at)) return dropCharacters(r, at, 3, 'dropped-ellipsis', 'guess')
    return !last && '...'.startsWith(text.slice(at, at + 3)) ? wait(r, at) : at
  }
  if (code !== BACKSLASH) return at
  // `\n` between tokens, in JSON that was escaped once too often.
  if (at + 1 >= text.length && !last) return wait(r, at)
  const space = /^\\[nrt]?$/.exec(text.slice(at, at + 2))
  return space ? dropCharacters(r, at, space[0].length, 'dropped-text', 'guess') : at
}

function readCommentStart(r: Reading, at: number): number {
  if (at + 1 >= r.text.length && !r.last) return wait(r, at)
  const mark = r.text.slice(at, at + 2)
  if (mark === '//') return openComment(r, at, 2, IN_LINE_COMMENT)
  if (mark === '/*') return openComment(r, at, 2, IN_BLOCK_COMMENT)
  // `#fff` as a value is a colour.
  const isColour = r.state < FIRST_KEY && isWord(codeAt(r, at + 1))
  return mark.startsWith('#') && !isColour ? openComment(r, at, 1, IN_LINE_COMMENT) : at
}

function openComment(r: Reading, at: number, length: number, state: number): number {
  const end = dropCharacters(r, at, length, 'dropped-comment', 'safe')
  if (end === at) return at
  r.resume = r.state
  r.state = state
  return end
}

/** A block comment ends after the closer that it mentions; a line comment does, and JSON follows its line. */
const BLOCK_ENDS = /\*\//
const LINE_ENDS = /^[^\n]*\n\s*["'{}[\],]/

/** A comment that is never closed must not swallow the closer of the block, but a comment may mention the closer. */
function closerInComment(r: Reading, at: number): number {
  const closer = closerAt(r, at)
  if (closer !== END) return closer
  const near = r.text.slice(at, at + WINDOW)
  if ((r.state === IN_BLOCK_COMMENT ? BLOCK_ENDS : LINE_ENDS).test(near)) return INNER
  return near.length < WINDOW && !r.last ? WAIT : END
}

export function readComment(r: Reading, at: number): number {
  const { text } = r
  const isBlock = r.state === IN_BLOCK_COMMENT
  const found = text.indexOf(isBlock ? '*/' : '\n', at)
  const limit = found === -1 ? text.length : found
  let closer = INNER
  let end = at
  for (; end < limit; end++) {
    closer = closerInComment(r, end)
    if (closer !== INNER) break
  }
  if (closer === END || end === found) {
    r.state = r.resume
    if (closer === INNER && isBlock) end += 2
  } else if (closer === WAIT) r.waiting = true
  // The star that closes it may stand at the end of this chunk.
  else if (isBlock && !r.last && text.endsWith('*')) r.waiting = --end === at
  replace(r, at, end, '')
  return end
}
