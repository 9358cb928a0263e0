/**
 * Does a quote end its string, or is it one the model forgot to escape?
 *
 * Behind the closing quote of valid JSON stands a comma, a colon, a bracket or the end, and behind
 * the comma what the container allows: a key and its colon, or a value. Only text that contradicts
 * this makes a quote an inner one, so valid JSON is never read differently.
 */
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  DOT,
  ELLIPSIS,
  isAssignment,
  isCloseBracket,
  isDigit,
  isOpenBracket,
  isQuote,
  isSeparator,
  isWord,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_PAREN,
  PLUS,
} from './codes.ts'
import {
  aim,
  atEnd,
  codeBehind,
  codeBehindString,
  findQuote,
  skip,
  skipWord,
} from './look-ahead.ts'
import {
  closerAt,
  codeAt,
  END,
  INNER,
  OBJECT,
  type Reading,
  ROOT,
  type Verdict,
} from './reading.ts'
import { closes, kindAt, levelOf } from './stack.ts'

/** Judges the quote before `from`. An index: a string goes on there. */
export function judge(r: Reading, from: number): Verdict {
  aim(r, from)
  const at = skip(r, from)
  if (at >= r.end) return atEnd(r)
  if (r.isKey) return afterKey(r, at, from)
  return r.kind === ROOT ? afterRoot(r, at, from) : afterValue(r, at, from)
}

function endIf(isEnd: boolean): Verdict {
  return isEnd ? END : INNER
}

/** Whether a value can end before this character. */
function endsValue(code: number): boolean {
  return code === COMMA || isCloseBracket(code)
}

/** A character, or a verdict, that was found where a colon makes a key of what stands before. */
function endIfColon(next: number): Verdict {
  return next < 0 ? next : endIf(isAssignment(next))
}

/** Whether a string and a colon stand at `at`. */
export function keyFollows(r: Reading, at: number): Verdict {
  return endIfColon(codeBehindString(r, at))
}

function afterValue(r: Reading, at: number, from: number): Verdict {
  const next = codeAt(r, at)
  const isMember = r.kind === OBJECT
  if (isSeparator(next)) return isMember ? memberFollows(r, at + 1) : itemFollows(r, at + 1)
  if (isCloseBracket(next)) return bracketFollows(r, at)
  if (next === PLUS) return plusFollows(r, at)
  const closer = closerAt(r, at)
  if (closer !== INNER) return closer
  if (isQuote(next)) return quoteFollows(r, at, at === from)
  // A key without its comma; only in documents that write keys this way.
  if (isMember) return r.bareKeys && at > from && isWord(next) ? bareMember(r, at) : INNER
  if (next === COLON) return endIf(!r.hasInner)
  if (at === from) return INNER
  if (isOpenBracket(next)) return END
  return isDigit(next) || next === MINUS ? itemFollows(r, at) : INNER
}

/** What stands behind a comma or semicolon at `at - 1` in an object: END or INNER text. */
export function memberFollows(r: Reading, at: number): Verdict {
  let i = skip(r, at)
  while (i < r.end && codeAt(r, i) === COMMA) i = skip(r, i + 1)
  if (i >= r.end) return atEnd(r)
  const next = codeAt(r, i)
  if (isQuote(next)) return quotedMember(r, i)
  if (isCloseBracket(next)) return bracketFollows(r, i)
  if (next === ELLIPSIS || next === DOT) return END
  if (isWord(next)) return bareMember(r, i)
  if (next === OPEN_BRACE && kindAt(r, r.depth - 1) > OBJECT) return END
  return closerAt(r, i)
}

/** A quoted name behind a comma: a key, perhaps without its colon or value. */
function quotedMember(r: Reading, at: number): Verdict {
  const next = codeBehindString(r, at)
  if (next < 0) return next
  if (isAssignment(next) || isOpenBracket(next)) return END
  // A name on its own, and not the rest of a text such as `split(",")`.
  return endIf(
    !r.hasInner &&
      codeAt(r, skipWord(r, at + 1)) === codeAt(r, at) &&
      (endsValue(next) || isDigit(next) || isQuote(next)),
  )
}

/** A bare key behind a comma. Prose has commas and colons too, so the value must look like one. */
function bareMember(r: Reading, at: number): Verdict {
  const colon = skip(r, skipWord(r, at))
  if (colon >= r.end) return atEnd(r)
  if (!isAssignment(codeAt(r, colon))) return closerAt(r, at)
  if (r.bareKeys) return END
  const value = skip(r, colon + 1)
  if (value >= r.end) return atEnd(r)
  const next = codeAt(r, value)
  if (isQuote(next) || isDigit(next) || next === MINUS || isOpenBracket(next)) return END
  return unlessQuoted(r, value)
}

/** INNER when the line has another quote like the one that is judged. */
function unlessQuoted(r: Reading, at: number): Verdict {
  const quote = findQuote(r, at, r.quote)
  if (quote === INNER) return END
  return quote >= r.end ? atEnd(r) : INNER
}

/** A value behind a comma in an array. */
function itemFollows(r: Reading, at: number): Verdict {
  const i = skip(r, at)
  if (i >= r.end) return atEnd(r)
  const next = codeAt(r, i)
  if (isQuote(next)) return r.hasInner ? stringItem(r, i) : END
  if (isOpenBracket(next) || next === OPEN_PAREN) return END
  if (next === ELLIPSIS || endsValue(next)) return END
  if (!isWord(next) && next !== PLUS) return closerAt(r, i)
  const behind = codeBehind(r, skipWord(r, i))
  return behind < 0 ? behind : endsValue(behind) ? END : closerAt(r, i)
}

/** A string in an array that another item or the end of the array follows. */
function stringItem(r: Reading, at: number): Verdict {
  const next = codeBehindString(r, at)
  return next < 0 ? next : endIf(endsValue(next))
}

/** Follows a run of closing brackets outwards; a quote glued to one speaks for inner text. */
function bracketFollows(r: Reading, at: number): Verdict {
  let level = r.depth
  let i = at
  while (i < r.end && isCloseBracket(codeAt(r, i))) {
    const closer = codeAt(r, i)
    if (!closes(kindAt(r, level), closer) && levelOf(r, closer) === 0) return strayBracket(r, i)
    while (level > 1 && !closes(kindAt(r, level), closer)) level--
    level--
    if (level <= 0) {
      if (!r.hasInner) return END
      if (++i >= r.end) return atEnd(r)
      // The root just closed: one more quote shows that it did not.
      return isQuote(codeAt(r, i)) ? closerAt(r, i) : END
    }
    i = skip(r, i + 1)
  }
  if (i >= r.end) return atEnd(r)
  const next = codeAt(r, i)
  if (!isQuote(next) && (next === COMMA || !r.hasInner)) return END
  // Backticks may be the closing fence of the block.
  const closer = closerAt(r, i)
  if (closer !== INNER || !isQuote(next)) return closer
  return kindAt(r, level) === OBJECT ? keyFollows(r, i) : stringItem(r, i)
}

/** A closing bracket that no open container has. */
function strayBracket(r: Reading, at: number): Verdict {
  const i = skip(r, at + 1)
  if (i >= r.end) return atEnd(r)
  const next = codeAt(r, i)
  if (next === COMMA) return endIf(!r.hasInner)
  if (!isCloseBracket(next)) return closerAt(r, i)
  return r.hasInner ? bracketFollows(r, i) : END
}

/** A quote behind the quote: the next string of a concatenation, of an array, or a key. */
function quoteFollows(r: Reading, at: number, isGlued: boolean): Verdict {
  const next = codeBehindString(r, at)
  if (next < 0) return isGlued && next === END ? INNER : next
  const isMember = r.kind === OBJECT
  if (isMember && isAssignment(next)) return END
  const isEnd = endsValue(next) || isQuote(next)
  if (isGlued) return INNER
  if (isMember) return r.hasInner || !isEnd ? INNER : at
  return endIf(isEnd || isOpenBracket(next))
}

function plusFollows(r: Reading, at: number): Verdict {
  const i = skip(r, at + 1)
  if (i >= r.end) return atEnd(r)
  return isQuote(codeAt(r, i)) ? i : INNER
}

/** A string that is the whole document goes on as long as its line has another quote. */
function afterRoot(r: Reading, at: number, from: number): Verdict {
  if (r.text.slice(from, at).includes('\n')) return END
  const closer = closerAt(r, at)
  if (closer !== INNER) return closer
  if (codeAt(r, at) !== PLUS) return unlessQuoted(r, at)
  const next = plusFollows(r, at)
  return next === INNER ? END : next
}

function afterKey(r: Reading, at: number, from: number): Verdict {
  const next = codeAt(r, at)
  if (isAssignment(next) || endsValue(next)) return END
  if (isOpenBracket(next) || isDigit(next) || next === MINUS) return END
  const closer = closerAt(r, at)
  if (closer !== INNER) return closer
  if (at === from) return INNER
  return isQuote(next) ? END : wordAfterKey(r, at)
}

/** A word behind a key: its value without a colon, unless the key's real end is still to come. */
function wordAfterKey(r: Reading, at: number): Verdict {
  for (let i = at; i < r.end; i++) {
    const code = codeAt(r, i)
    if (code === CLOSE_BRACE || code === COMMA || code === NEWLINE) return END
    if (!isQuote(code)) continue
    const next = codeBehind(r, i + 1)
    return next < 0 ? next : endIf(next !== COLON)
  }
  return atEnd(r)
}
