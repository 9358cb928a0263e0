/** Where a number or literal without quotes ends, and whether it is one. */
import { readScalar } from './bare-word.ts'
import {
  ASTERISK,
  BACKSLASH,
  COLON,
  COMMA,
  HASH,
  isCloseBracket,
  isExoticSpace,
  isQuote,
  isWord,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  RETURN,
  SEMICOLON,
  SLASH,
  SPACE,
  TAB,
} from './codes.ts'
import type { LookAhead } from './look-ahead.ts'
import { OBJECT, ROOT, type Stack } from './stack.ts'
import { END, INNER, type Verdict, WAIT } from './string-end.ts'

export function endsWord(sight: LookAhead, at: number): boolean {
  const code = sight.code(at)
  if (code === SLASH) {
    const next = at + 1 < sight.end ? sight.code(at + 1) : 0
    return next === SLASH || next === ASTERISK
  }
  if (isWord(code) || code === PLUS) return false
  return code < 128 || isQuote(code) || isExoticSpace(code)
}

/** END when a number or literal can end here, INNER when it is the first word of a text. */
export function wordEnd(text: string, end: number, sight: LookAhead, stack: Stack): Verdict {
  let i = end
  while (i < sight.end && (sight.code(i) === SPACE || sight.code(i) === TAB)) i++
  if (i >= sight.end) return sight.short ? WAIT : END
  const code = sight.code(i)
  if (code === COMMA || isCloseBracket(code) || code === NEWLINE || code === RETURN) return END
  if (code === SEMICOLON || stack.kind === ROOT) return END
  if (code === SLASH || code === HASH) {
    const behind = sight.skip(i)
    if (behind !== i) return behind >= sight.end && sight.short ? WAIT : END
  }
  const closer = sight.isCloser(i)
  if (closer !== false) return closer ? END : WAIT
  if (code === BACKSLASH) return escapedSpaceFollows(text, i, sight)
  if (i === end) return stack.kind !== OBJECT && code === COLON ? END : INNER
  if (isQuote(code) || code === OPEN_BRACE || code === OPEN_BRACKET) return END
  return stack.kind === OBJECT ? bareKeyFollows(i, sight) : scalarFollows(text, i, sight)
}

/** `\n` behind a value, in JSON that was escaped once too often. */
function escapedSpaceFollows(text: string, at: number, sight: LookAhead): Verdict {
  if (at + 1 >= sight.end) return sight.short ? WAIT : END
  return /[nrt]/.test(text.charAt(at + 1)) ? END : INNER
}

function bareKeyFollows(at: number, sight: LookAhead): Verdict {
  const i = sight.skip(sight.skipWord(at))
  if (i >= sight.end) return sight.short ? WAIT : END
  return sight.code(i) === COLON ? END : INNER
}

function scalarFollows(text: string, at: number, sight: LookAhead): Verdict {
  const end = sight.skipScalar(at)
  if (end >= sight.end) return sight.short ? WAIT : END
  return readScalar(text.slice(at, end)) === undefined ? INNER : END
}
