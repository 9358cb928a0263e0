/** Closing brackets, and what one that does not fit may be. */

import { dropCharacters, stopsAt } from './between.ts'
import { COMMA, isCloseBracket, isQuote } from './codes.ts'
import { aim, skip } from './look-ahead.ts'
import {
  codeAt,
  END,
  INNER,
  OBJECT,
  type Reading,
  reportAround,
  TUPLE,
  type Verdict,
  WAIT,
  wait,
} from './reading.ts'
import { closerText, closes, kindAt, levelOf } from './stack.ts'
import { keyFollows } from './string-end.ts'
import { replace } from './tape.ts'
import { addClosers, closeContainer, completeMember } from './values.ts'

const REPLACE = 0
const ADD = 1
const DROP = 2

export function readCloseBracket(r: Reading, at: number): number {
  if (closes(r.kind, codeAt(r, at))) return closeBy(r, at)
  if (stopsAt(r, at)) return at
  aim(r, at)
  const plan = planBracket(r, at)
  if (plan === WAIT) return wait(r, at)
  if (plan === DROP) return dropBracket(r, at)
  if (plan === ADD) {
    addClosers(r, levelOf(r, codeAt(r, at)), at)
    return at
  }
  const bracket = closerText(r)
  if (!completeMember(r, at)) return at
  if (!reportAround(r, 'replaced-bracket', 'guess', r.text.charAt(at), bracket)) return at
  replace(r, at, at + 1, bracket)
  return closeContainer(r, at + 1)
}

/** Closes the container by the bracket at `at`, which is the right one. */
function closeBy(r: Reading, at: number): number {
  if (!completeMember(r, at)) return at
  const doubled = r.doubled[r.depth] ?? 0
  if (doubled > 0) {
    r.doubled[r.depth] = doubled - 1
    return dropBracket(r, at)
  }
  if (r.kind === TUPLE) replace(r, at, at + 1, ']')
  return closeContainer(r, at + 1)
}

export function dropBracket(r: Reading, at: number): number {
  return dropCharacters(r, at, 1, 'dropped-bracket', 'guess')
}

/**
 * A bracket of the wrong kind stands for the right one, or a bracket before it is missing, or
 * it closes nothing: the number of closers that follow each other tells.
 */
function planBracket(r: Reading, at: number): Verdict {
  let run = 0
  let i = at
  while (i < r.end && run <= r.depth && isCloseBracket(codeAt(r, i))) {
    run++
    i = skip(r, i + 1)
  }
  if (i >= r.end && r.short && run <= r.depth) return WAIT
  const comma = i < r.end && codeAt(r, i) === COMMA
  const level = levelOf(r, codeAt(r, at))
  if (level === 0) return run > r.depth || (comma && run === r.depth) ? DROP : REPLACE
  if (run >= r.depth) return REPLACE
  return comma && kindAt(r, r.depth - 1) === OBJECT ? planByKey(r, level, i + 1) : ADD
}

/** A comma and a key behind the bracket: only an object can go on like that. */
function planByKey(r: Reading, level: number, at: number): Verdict {
  if (kindAt(r, level - 1) === OBJECT) return ADD
  const key = skip(r, at)
  if (key >= r.end) return r.short ? WAIT : ADD
  const verdict = isQuote(codeAt(r, key)) ? keyFollows(r, key) : INNER
  return verdict === WAIT ? WAIT : verdict === END ? REPLACE : ADD
}
