/** What a closing bracket that does not fit may be. */
import { COMMA, isCloseBracket, isQuote } from './codes.ts'
import type { LookAhead } from './look-ahead.ts'
import { OBJECT, type Stack } from './stack.ts'
import { END, INNER, type StringEnd, WAIT } from './string-end.ts'

const REPLACE = 0
export const ADD = 1
export const DROP = 2

/**
 * A bracket of the wrong kind stands for the right one, or a bracket before it is missing, or
 * it closes nothing: the number of closers that follow each other tells.
 */
export function planBracket(
  at: number,
  sight: LookAhead,
  stack: Stack,
  stringEnd: StringEnd,
): number {
  let run = 0
  let i = at
  while (i < sight.end && run <= stack.depth && isCloseBracket(sight.code(i))) {
    run++
    i = sight.skip(i + 1)
  }
  if (i >= sight.end && sight.short && run <= stack.depth) return WAIT
  const comma = i < sight.end && sight.code(i) === COMMA
  const level = stack.levelOf(sight.code(at))
  if (level === 0) return run > stack.depth || (comma && run === stack.depth) ? DROP : REPLACE
  if (run >= stack.depth) return REPLACE
  return comma && stack.kindAt(stack.depth - 1) === OBJECT
    ? planByKey(level, i + 1, sight, stack, stringEnd)
    : ADD
}

/** A comma and a key behind the bracket: only an object can go on like that. */
function planByKey(
  level: number,
  at: number,
  sight: LookAhead,
  stack: Stack,
  stringEnd: StringEnd,
): number {
  if (stack.kindAt(level - 1) === OBJECT) return ADD
  const key = sight.skip(at)
  const verdict = key < sight.end && isQuote(sight.code(key)) ? stringEnd.keyFollows(key) : INNER
  if (verdict === WAIT || (key >= sight.end && sight.short)) return WAIT
  return verdict === END ? REPLACE : ADD
}
