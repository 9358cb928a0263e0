/**
 * Tokens that are what they seem beyond doubt: what follows is valid JSON as far as the full
 * judgement would look. Only shortcuts; they must never accept what that judgement would not.
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DOT,
  DOUBLE_QUOTE,
  isDigit,
  isQuote,
  isSpace,
  isWord,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  SLASH,
  SMART_QUOTE,
  SPACE,
  ZERO,
} from './codes.ts'
import { WINDOW } from './look-ahead.ts'
import { closes, OBJECT, ROOT, type Stack } from './stack.ts'

/** The closing quote when nothing needs care before it, else -1. */
export function scanClean(text: string, at: number, quote: number): number {
  const close = quote === SMART_QUOTE ? SMART_QUOTE + 1 : quote
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === close) return i
    if (code === BACKSLASH || code === DOUBLE_QUOTE || code < SPACE) return -1
    if (code > 127 && close !== quote && isQuote(code)) return -1
  }
  return -1
}

/** The closing quote of the string value at `at`, or -1. */
export function cleanStringEnd(
  text: string,
  at: number,
  stack: Stack,
  bareKeys: boolean,
  mayLackComma: boolean,
): number {
  const quote = text.charCodeAt(at)
  const end = scanClean(text, at + 1, quote)
  if (end === -1) return -1
  const next = skipSpace(text, end + 1)
  if (next >= text.length) return -1
  const code = text.charCodeAt(next)
  let isEnd = false
  if (code === COMMA) isEnd = isCleanComma(text, next + 1, quote, stack, bareKeys)
  else if (code !== quote) isEnd = isCleanBracket(text, next, stack)
  else if (mayLackComma && next > end + 1 && stack.kind === OBJECT) {
    isEnd = isCleanMember(text, next, quote, bareKeys)
  }
  return isEnd ? end : -1
}

/** Behind space and whole line comments. */
function skipSpace(text: string, at: number): number {
  let i = at
  for (;;) {
    while (i < text.length && isSpace(text.charCodeAt(i))) i++
    if (text.charCodeAt(i) !== SLASH || text.charCodeAt(i + 1) !== SLASH) return i
    const end = text.indexOf('\n', i)
    if (end === -1) return i
    i = end
  }
}

function isCleanComma(
  text: string,
  at: number,
  quote: number,
  stack: Stack,
  bareKeys: boolean,
): boolean {
  const i = skipSpace(text, at)
  if (i >= text.length || stack.kind === ROOT) return false
  if (stack.kind === OBJECT) return isCleanMember(text, i, quote, bareKeys)
  const code = text.charCodeAt(i)
  return code === quote || code === OPEN_BRACE || code === OPEN_BRACKET
}

function isCleanMember(text: string, at: number, quote: number, bareKeys: boolean): boolean {
  let end = at
  if (text.charCodeAt(at) === quote) end = scanClean(text, at + 1, quote) + 1
  else if (bareKeys) while (end < text.length && isWord(text.charCodeAt(end))) end++
  if (end <= at || end > at + WINDOW / 2) return false
  const colon = skipSpace(text, end)
  return colon < text.length && text.charCodeAt(colon) === COLON
}

function isCleanBracket(text: string, at: number, stack: Stack): boolean {
  let level = stack.depth
  let i = at
  while (level > 0 && i < text.length && closes(stack.kindAt(level), text.charCodeAt(i))) {
    level--
    if (level === 0) return true
    i = skipSpace(text, i + 1)
  }
  return i > at && i < text.length && text.charCodeAt(i) === COMMA
}

/** Behind a number as nearly all documents have them: digits, perhaps a fraction; or -1. */
export function cleanNumberEnd(text: string, at: number): number {
  const first = text.charCodeAt(at) === MINUS ? at + 1 : at
  let end = skipDigits(text, first)
  const isWhole = end > first && (end === first + 1 || text.charCodeAt(first) !== ZERO)
  if (isWhole && end + 1 < text.length && text.charCodeAt(end) === DOT) {
    const fraction = skipDigits(text, end + 1)
    if (fraction > end + 1) end = fraction
  }
  // Longer ones must not be told from short ones by the chunk they came in.
  return isWhole && end - at < WINDOW && isDelimiter(text, end) ? end : -1
}

function skipDigits(text: string, at: number): number {
  let i = at
  while (i < text.length && isDigit(text.charCodeAt(i))) i++
  return i
}

export function isDelimiter(text: string, at: number): boolean {
  if (at >= text.length) return false
  const code = text.charCodeAt(at)
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code === NEWLINE
}
