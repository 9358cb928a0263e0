/** Values without quotes: numbers, literals, and text that should have had quotes. */
import { completeScalar, readScalar, type Scalar } from './bare-word.ts'
import {
  ASTERISK,
  BACKSLASH,
  COLON,
  COMMA,
  DOUBLE_QUOTE,
  HASH,
  isCloseBracket,
  isDigit,
  isExoticSpace,
  isOpenBracket,
  isQuote,
  isSeparator,
  isWord,
  NEWLINE,
  OPEN_PAREN,
  PLUS,
  RETURN,
  SLASH,
  SPACE,
  TAB,
} from './codes.ts'
import { escapeText } from './escapes.ts'
import { aim, atEnd, codeBehind, skip, skipWord, WINDOW } from './look-ahead.ts'
import {
  closerAt,
  codeAt,
  END,
  IN_BARE,
  IN_NUMBER,
  INNER,
  OBJECT,
  type Reading,
  ROOT,
  report,
  type Verdict,
  WAIT,
  wait,
} from './reading.ts'
import { levelOf } from './stack.ts'
import { judge, keyFollows, memberFollows } from './string-end.ts'
import { replace } from './tape.ts'
import { beginValue, endValue } from './values.ts'

// --- words -------------------------------------------------------------------------------------

export function readWord(r: Reading, at: number): number {
  aim(r, at)
  let end = at
  while (end < r.end && !endsWord(r, end)) end++
  if (end >= r.end && r.short) return wait(r, at)
  if (end === at + WINDOW) return readLongWord(r, at, end)
  const word = r.text.slice(at, end)
  const isCut = end === r.text.length && r.depth > 0
  const scalar = readScalar(word) ?? (isCut ? completeScalar(word) : undefined)
  if (scalar === undefined) return openBare(r, at)
  const verdict = wordEnd(r, end)
  if (verdict === WAIT) return wait(r, at)
  return verdict === END ? writeScalar(r, at, end, scalar) : openBare(r, at)
}

function writeScalar(r: Reading, at: number, end: number, scalar: Scalar): number {
  const { code, risk, text } = scalar
  if (code !== undefined && !report(r, code, risk, r.text.slice(at, end), text)) return at
  beginValue(r, text.startsWith('"') ? 'string' : 'scalar', at)
  if (code !== undefined) replace(r, at, end, text)
  return endValue(r, end)
}

function endsWord(r: Reading, at: number): boolean {
  const code = codeAt(r, at)
  if (code === SLASH) {
    const next = at + 1 < r.end ? codeAt(r, at + 1) : 0
    return next === SLASH || next === ASTERISK
  }
  if (isWord(code) || code === PLUS) return false
  return code < 128 || isQuote(code) || isExoticSpace(code)
}

/** END when a number or literal can end here, INNER when it is the first word of a text. */
function wordEnd(r: Reading, end: number): Verdict {
  let i = end
  while (i < r.end && isBlank(codeAt(r, i))) i++
  if (i >= r.end) return atEnd(r)
  const code = codeAt(r, i)
  if (isSeparator(code) || isCloseBracket(code) || isLineEnd(code) || r.kind === ROOT) return END
  const behind = skip(r, i)
  if ((code === SLASH || code === HASH) && behind !== i) return behind >= r.end ? atEnd(r) : END
  const closer = closerAt(r, i)
  if (closer !== INNER) return closer
  if (code === BACKSLASH) {
    // `\n` behind a value, in JSON that was escaped once too often.
    if (i + 1 >= r.end) return atEnd(r)
    return /[nrt]/.test(r.text.charAt(i + 1)) ? END : INNER
  }
  if (i === end) return r.kind !== OBJECT && code === COLON ? END : INNER
  if (isQuote(code) || isOpenBracket(code)) return END
  return r.kind === OBJECT ? bareKeyFollows(r, i) : scalarFollows(r, i)
}

function bareKeyFollows(r: Reading, at: number): Verdict {
  const next = codeBehind(r, skipWord(r, at))
  return next < 0 ? next : next === COLON ? END : INNER
}

function scalarFollows(r: Reading, at: number): Verdict {
  const end = skipWord(r, at)
  if (end >= r.end) return atEnd(r)
  return readScalar(r.text.slice(at, end)) === undefined ? INNER : END
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

function isLineEnd(code: number): boolean {
  return code === NEWLINE || code === RETURN
}

// --- numbers longer than the window ------------------------------------------------------------

/** A number with its runs of digits written as one digit, as far as JSON allows it. */
const NUMBER_SHAPE = /^-?1(?:\.|(?:\.1)?(?:[eE][+-]?1?)?)$/

/** A word longer than the window: a number as long as it keeps the grammar, else text. */
function readLongWord(r: Reading, at: number, end: number): number {
  const word = r.text.slice(at, end)
  r.numberShape = word.replace(/\d+/g, '1')
  if (!NUMBER_SHAPE.test(r.numberShape) || /^-?0\d/.test(word)) return openBare(r, at)
  beginValue(r, 'scalar', at)
  r.state = IN_NUMBER
  return end
}

export function readNumber(r: Reading, at: number): number {
  for (let i = at; i < r.text.length; i++) {
    const digit = isDigit(codeAt(r, i))
    if (digit && isWholeNumber(r)) continue
    const shape = r.numberShape + (digit ? '1' : r.text.charAt(i))
    if (!NUMBER_SHAPE.test(shape)) return endNumber(r, i)
    r.numberShape = shape
  }
  return r.text.length
}

/** Whether the number may end where it stands. */
export function isWholeNumber(r: Reading): boolean {
  return r.numberShape.endsWith('1')
}

function endNumber(r: Reading, at: number): number {
  if (!isWholeNumber(r)) {
    if (!report(r, 'normalized-number', 'guess')) return at
    replace(r, at, at, '0')
  }
  return endValue(r, at)
}

// --- text --------------------------------------------------------------------------------------

function openBare(r: Reading, at: number): number {
  if (!report(r, 'quoted-string', 'guess')) return at
  beginValue(r, 'string', at)
  replace(r, at, at, '"')
  r.quote = DOUBLE_QUOTE
  r.hasInner = false
  r.nesting = 0
  r.state = IN_BARE
  return readBareCharacter(r, at)
}

function closeBare(r: Reading, at: number, length: number): number {
  replace(r, at, at + length, '"')
  return endValue(r, at + length)
}

export function readBare(r: Reading, at: number): number {
  const { length } = r.text
  let i = at
  while (i < length) {
    const code = codeAt(r, i)
    if (isWord(code)) {
      i++
      continue
    }
    const end = isBlank(code) ? skipBlanks(r, i) : i
    const verdict = end === WAIT ? WAIT : end === length ? END : bareEnd(r, end, end > i)
    if (verdict === WAIT) return wait(r, i)
    if (verdict === END) return closeBare(r, i, 0)
    // A closing quote without its opening one.
    if (verdict >= 0) return closeBare(r, i, verdict)
    while (i <= end) i = readBareCharacter(r, i)
  }
  return i
}

/** Behind the blanks at `at`; the end of the text when there are too many of them. */
function skipBlanks(r: Reading, at: number): number {
  const { length } = r.text
  for (let i = at; i < at + WINDOW; i++) {
    if (i >= length) return r.last ? length : WAIT
    if (!isBlank(codeAt(r, i))) return i
  }
  return length
}

/** END, INNER, WAIT, or the length of a closing quote. */
function bareEnd(r: Reading, at: number, isSpaced: boolean): Verdict {
  const code = codeAt(r, at)
  if (isLineEnd(code)) return END
  const closer = closerAt(r, at)
  if (closer !== INNER) return closer
  aim(r, at + 1)
  if (isQuote(code)) return bareQuote(r, at, code, isSpaced)
  if (isSpaced && (code === SLASH || code === HASH)) return bareComment(r, at)
  if (r.nesting > 0) return INNER
  if (isCloseBracket(code)) return levelOf(r, code) > 0 ? END : INNER
  if (!isSeparator(code) || r.kind === ROOT) return INNER
  if (r.kind === OBJECT) return memberFollows(r, at + 1)
  return code === COMMA ? END : INNER
}

function bareComment(r: Reading, at: number): Verdict {
  if (at + 1 >= r.text.length) return r.last ? INNER : WAIT
  return /^(?:# |\/[/*])/.test(r.text.slice(at, at + 2)) ? END : INNER
}

function bareQuote(r: Reading, at: number, code: number, isSpaced: boolean): Verdict {
  if (isSpaced && r.kind !== OBJECT) return r.kind === ROOT ? INNER : END
  if (isSpaced) {
    aim(r, at)
    return keyFollows(r, at)
  }
  r.quote = code
  const verdict = judge(r, at + 1)
  return verdict === END ? 1 : verdict === WAIT ? WAIT : INNER
}

function readBareCharacter(r: Reading, at: number): number {
  const code = codeAt(r, at)
  if (isOpenBracket(code) || code === OPEN_PAREN) r.nesting++
  else if (isCloseBracket(code) && r.nesting > 0) r.nesting--
  else if (code === DOUBLE_QUOTE || code === BACKSLASH) replace(r, at, at, '\\')
  else if (code < SPACE) replace(r, at, at + 1, escapeText(r.text.charAt(at)))
  return at + 1
}

/** Only the end of the input ends a number or text without quotes that is the whole document. */
export function endRoot(r: Reading, at: number): void {
  if (r.depth > 0) return
  if (r.state === IN_BARE) closeBare(r, at, 0)
  if (r.state === IN_NUMBER) endNumber(r, at)
}
