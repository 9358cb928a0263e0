/**
 * Parts of a document that are JSON beyond doubt, found by one match each. Only shortcuts: the machine
 * would read them as they stand. All repetition of more than single characters is bounded.
 */
import { FIRST_KEY, KEY, type Reading } from './reading.ts'
import { owe, settle } from './tape.ts'
import { beginValue, endValue } from './values.ts'

const BLANK = '[ \\n\\r\\t]{0,64}'
const STRING = '"[^"\\\\\\x00-\\x1f]*"'
const BARE = '-?(?:0|[1-9]\\d{0,99})(?:\\.\\d{1,99})?(?:[eE][+-]?\\d{1,9})?|true|false|null'
const SCALAR = `(?:${STRING}|${BARE})${BLANK}`
const ITEMS = `\\[${BLANK}(?:(?:${SCALAR},${BLANK}){0,63}${SCALAR})?\\]${BLANK}`
const NAME = `${BLANK}${STRING}${BLANK}:`

/** Members and their commas before another member; values are scalars, or arrays of scalars. */
const MEMBERS = new RegExp(`(?:${NAME}${BLANK}(?:${SCALAR}|${ITEMS}),){1,64}(?=${NAME})`, 'y')
/** A number or literal, up to what shows that it is over. */
const ENDED_SCALAR = new RegExp(`(?:${BARE})(?=[,\\]}\\n])`, 'y')

/** Less text is not worth the attempt. */
const MANY = 64

/** Behind the match at `at`; `at` itself when there is none. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Reads a run of members, many times faster than one by one; `at` when there is none. */
export function readPlainMembers(r: Reading, at: number): number {
  if (r.depth <= r.watchDepth || r.depth >= r.maxDepth || r.text.length - at < MANY) return at
  const isFirst = r.state === FIRST_KEY
  if (!isFirst && !r.inRuns) return at
  const end = match(MEMBERS, r.text, at)
  // Where the first members are written in another way, so are the others.
  if (isFirst) r.inRuns = end > at
  if (end === at) return at
  settle(r)
  owe(r, end - 1)
  r.state = KEY
  return end
}

/** Reads a number or literal; `at` when none stands here. */
export function readPlainScalar(r: Reading, at: number): number {
  const end = r.depth > 0 ? match(ENDED_SCALAR, r.text, at) : at
  if (end === at) return at
  beginValue(r, 'scalar', at)
  return endValue(r, end)
}
