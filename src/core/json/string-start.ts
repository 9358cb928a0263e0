/** Where strings and keys begin. Most are plain, and read from end to end at once. */
import { BACKSLASH, COLON, closesQuote, DOUBLE_QUOTE, isQuote } from './codes.ts'
import {
  codeAt,
  END,
  FIRST_KEY,
  IN_STRING,
  KEY,
  MEMBER_VALUE,
  type Reading,
  report,
  wait,
} from './reading.ts'
import { judge } from './string-end.ts'
import { ESCAPED, LITERALLY, nextSpecial, RAW, TRIPLE, UNDECIDED } from './string-reader.ts'
import { copy, replace } from './tape.ts'
import { beginKey, beginValue, endValue, nameKey } from './values.ts'

const PREFIX = /(?:[rub]|f|rb|br|rf|fr)(?![\w$.-])/iy

export function isKeyNext(r: Reading): boolean {
  return r.state === KEY || r.state === FIRST_KEY
}

/**
 * Reads a string or key of plain characters that ends beyond doubt, as nearly all do; `at` when it
 * is another one.
 */
export function readWhole(r: Reading, at: number): number {
  const { text } = r
  const isKey = isKeyNext(r)
  const quote = text.charCodeAt(at)
  r.quote = quote
  const close = nextSpecial(r, at + 1)
  const end = close + 1
  if (!closesQuote(quote, text.charCodeAt(close)) || !endsPlainly(r, end, isKey)) return at
  const isPlain = quote === DOUBLE_QUOTE
  r.isKey = isKey
  if (!isPlain && !report(r, 'replaced-quotes', 'safe', text.charAt(at), '"')) return at
  if (isKey) beginKey(r, at)
  else beginValue(r, 'string', at)
  if (!isPlain) replace(r, at, end, `"${text.slice(at + 1, close)}"`)
  if (!isKey) return endValue(r, end)
  nameKey(r, text.slice(at + 1, close))
  // Its colon was seen.
  r.state = MEMBER_VALUE
  return end + 1
}

function endsPlainly(r: Reading, end: number, isKey: boolean): boolean {
  const next = codeAt(r, end)
  if (isKey) return next === COLON
  r.hasInner = false
  return next !== r.quote && judge(r, end) === END
}

export function readQuoted(r: Reading, at: number): number {
  const end = readWhole(r, at)
  return end === at ? openQuoted(r, at, at) : end
}

/** A string that does not begin with a plain quote; `at` when none begins here. */
export function openOddString(r: Reading, at: number): number {
  const { text } = r
  const code = text.charCodeAt(at)
  if (isQuote(code)) return readQuoted(r, at)
  if (code === BACKSLASH) {
    const isString = text.charCodeAt(at + 1) === DOUBLE_QUOTE
    return isString ? openString(r, at, 2, DOUBLE_QUOTE, ESCAPED) : at
  }
  // `r"…"`, `u'…'` and the like. The first test is the quick one.
  PREFIX.lastIndex = at
  if (!'rubfRUBF'.includes(text.charAt(at)) || !PREFIX.test(text)) return at
  const quoteAt = PREFIX.lastIndex
  if (quoteAt >= text.length) return r.last ? at : wait(r, at)
  return isQuote(text.charCodeAt(quoteAt)) ? openQuoted(r, at, quoteAt) : at
}

/** Opens the string whose quote stands at `quoteAt`, behind a prefix that begins at `at`. */
function openQuoted(r: Reading, at: number, quoteAt: number): number {
  const isTriple = r.mode !== 'off' && isTripleQuote(r.text, quoteAt, r.last)
  if (isTriple === undefined) return wait(r, at)
  const isRaw = /r/i.test(r.text.slice(at, quoteAt))
  const form = (isTriple ? TRIPLE : 0) | (isRaw ? RAW : 0)
  const length = quoteAt - at + (isTriple ? 3 : 1)
  return openString(r, at, length, codeAt(r, quoteAt), form)
}

/** Three quotes, and no bracket or comma behind that would make them a quote in quotes. */
function isTripleQuote(text: string, at: number, last: boolean): boolean | undefined {
  const mark = text.charAt(at).repeat(3)
  const found = text.slice(at, at + 4)
  if (found.length < 4 && !last && mark.startsWith(found.slice(0, 3))) return undefined
  return found.startsWith(mark) && !/[,\]})]$/.test(found)
}

/** Opens a string whose opening takes `length` characters. */
export function openString(
  r: Reading,
  at: number,
  length: number,
  quote: number,
  form: number,
): number {
  const isPlain = length === 1 && quote === DOUBLE_QUOTE
  r.isKey = isKeyNext(r)
  const opener = r.text.slice(at, at + length)
  if (!isPlain && !report(r, 'replaced-quotes', 'safe', opener, '"')) return at
  if (!r.isKey) beginValue(r, 'string', at)
  else {
    beginKey(r, at)
    copy(r, at)
    r.keyAt = r.owed.length
  }
  if (!isPlain) replace(r, at, at + length, '"')
  r.quote = quote
  r.form = form
  r.hasInner = false
  r.innerQuotes = 0
  r.embedded = false
  r.backslashes = (form & RAW) !== 0 ? LITERALLY : UNDECIDED
  r.sawEscape = false
  r.isPath = false
  r.reported.safe = ''
  r.reported.guess = ''
  r.tail = ''
  r.state = IN_STRING
  return at + length
}
