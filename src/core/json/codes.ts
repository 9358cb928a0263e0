/** Names for the character codes the hot loops compare. */
export const TAB = 9
export const NEWLINE = 10
export const RETURN = 13
export const SPACE = 32
export const DOUBLE_QUOTE = 34
export const HASH = 35
export const SINGLE_QUOTE = 39
export const OPEN_PAREN = 40
export const CLOSE_PAREN = 41
export const ASTERISK = 42
export const PLUS = 43
export const COMMA = 44
export const MINUS = 45
export const DOT = 46
export const SLASH = 47
const ZERO = 48
export const COLON = 58
export const SEMICOLON = 59
export const EQUALS = 61
export const GREATER = 62
export const OPEN_BRACKET = 91
export const BACKSLASH = 92
export const CLOSE_BRACKET = 93
export const BACKTICK = 96
export const OPEN_BRACE = 123
export const CLOSE_BRACE = 125
/** “ */
const SMART_QUOTE = 0x201c
export const ELLIPSIS = 0x2026

/** The whitespace JSON has. */
export function isSpace(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === RETURN || code === TAB
}

/** Blank to a reader but not to JSON: dropped between tokens, content inside strings. */
export function isExoticSpace(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0xfeff ||
    code === 0x3000 ||
    (code >= 0x2000 && code <= 0x200b) ||
    code === 0x2028 ||
    code === 0x2029 ||
    (code < SPACE && !isSpace(code))
  )
}

export function isDigit(code: number): boolean {
  return code >= ZERO && code <= 57
}

/** What a key without quotes is made of: letters, digits, `_ $ - .` and all beyond ASCII. */
export function isWord(code: number): boolean {
  return (
    isDigit(code) ||
    ((code | 32) >= 97 && (code | 32) <= 122) ||
    code === 95 ||
    code === 36 ||
    code === MINUS ||
    code === DOT ||
    (code > 127 && !isQuote(code) && !isExoticSpace(code))
  )
}

export function isCloseBracket(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET || code === CLOSE_PAREN
}

export function isOpenBracket(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET
}

/** What stands between members: a comma, or in JavaScript's manner a semicolon. */
export function isSeparator(code: number): boolean {
  return code === COMMA || code === SEMICOLON
}

/** What stands between a key and its value. */
export function isAssignment(code: number): boolean {
  return code === COLON || code === EQUALS
}

/** Any character that some notation opens a string with. */
export function isQuote(code: number): boolean {
  return (
    code === DOUBLE_QUOTE ||
    code === SINGLE_QUOTE ||
    code === BACKTICK ||
    (code >= 0x2018 && code <= 0x201f)
  )
}

/** Whether `code` can close a string that `open` opened. */
export function closesQuote(open: number, code: number): boolean {
  if (open < 128) return code === open
  // Smart quotes: four single ones, ‘ ’ ‚ ‛, and then four double ones, “ ” „ ‟.
  return code >> 2 === open >> 2 || code === (open < SMART_QUOTE ? SINGLE_QUOTE : DOUBLE_QUOTE)
}
