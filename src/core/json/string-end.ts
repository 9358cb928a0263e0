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
  EQUALS,
  isCloseBracket,
  isDigit,
  isQuote,
  isWord,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PLUS,
  SEMICOLON,
} from './codes.ts'
import { BEYOND, type LookAhead } from './look-ahead.ts'
import { closes, OBJECT, ROOT, type Stack } from './stack.ts'

export const WAIT = -1
export const INNER = -2
export const END = -3
/** One of the three above, or the place of a quote whose string continues this one. */
export type Verdict = number

/** What is known about the string the quote stands in. */
export interface StringFacts {
  readonly isKey: boolean
  readonly quote: number
  /** An inner quote was found in it before. */
  readonly hasInner: boolean
  /** Keys without quotes were seen in the document. */
  readonly bareKeys: boolean
}

export interface StringEnd {
  /** Judges the quote before `at`. The look-ahead must be aimed at `at`. */
  judge(at: number, facts: StringFacts): Verdict
  /** What stands behind a comma or semicolon at `at - 1` in an object: END or INNER text. */
  memberFollows(at: number, facts: StringFacts): Verdict
  /** Whether a string and a colon stand at `at`. */
  keyFollows(at: number): Verdict
}

export function createStringEnd(sight: LookAhead, stack: Stack): StringEnd {
  const { code, skip } = sight

  function atEnd(): Verdict {
    return sight.short ? WAIT : END
  }

  /** The verdict when nothing speaks for an end except a closer of the enclosing block. */
  function unlessCloser(at: number): Verdict {
    const closer = sight.isCloser(at)
    if (closer === undefined) return WAIT
    return closer ? END : INNER
  }

  function keyFollows(at: number): Verdict {
    const after = sight.skipString(at)
    if (after === BEYOND) return INNER
    const i = skip(after)
    if (i >= sight.end) return atEnd()
    return code(i) === COLON || code(i) === EQUALS ? END : INNER
  }

  /** A quoted name behind a comma: a key, perhaps without its colon or value. */
  function quotedMember(at: number, facts: StringFacts): Verdict {
    const after = sight.skipString(at)
    if (after === BEYOND) return INNER
    const i = skip(after)
    if (i >= sight.end) return atEnd()
    const next = code(i)
    if (next === COLON || next === EQUALS || next === OPEN_BRACE || next === OPEN_BRACKET)
      return END
    if (facts.hasInner) return INNER
    return next === COMMA || isCloseBracket(next) || isDigit(next) || isQuote(next) ? END : INNER
  }

  /** A bare key behind a comma. Prose has commas and colons too, so the value must look like one. */
  function bareMember(at: number, facts: StringFacts): Verdict {
    const i = skip(sight.skipWord(at))
    if (i >= sight.end) return atEnd()
    if (code(i) !== COLON && code(i) !== EQUALS) return unlessCloser(at)
    if (facts.bareKeys) return END
    const value = skip(i + 1)
    if (value >= sight.end) return atEnd()
    const next = code(value)
    if (isQuote(next) || isDigit(next) || next === MINUS) return END
    if (next === OPEN_BRACE || next === OPEN_BRACKET) return END
    const quote = sight.findQuote(value, facts.quote)
    if (quote === BEYOND) return END
    return quote >= sight.end ? atEnd() : INNER
  }

  function memberFollows(at: number, facts: StringFacts): Verdict {
    let i = skip(at)
    while (i < sight.end && code(i) === COMMA) i = skip(i + 1)
    if (i >= sight.end) return atEnd()
    const next = code(i)
    if (isQuote(next)) return quotedMember(i, facts)
    if (isCloseBracket(next)) return bracketFollows(i, facts)
    if (next === ELLIPSIS || next === DOT) return END
    if (isWord(next)) return bareMember(i, facts)
    if (next === OPEN_BRACE && stack.kindAt(stack.depth - 1) > OBJECT) return END
    return unlessCloser(i)
  }

  /** A value behind a comma in an array. */
  function itemFollows(at: number, facts: StringFacts): Verdict {
    const i = skip(at)
    if (i >= sight.end) return atEnd()
    const next = code(i)
    if (isQuote(next)) return facts.hasInner ? stringItem(i) : END
    if (next === OPEN_BRACE || next === OPEN_BRACKET || next === OPEN_PAREN) return END
    if (next === COMMA || next === ELLIPSIS || isCloseBracket(next)) return END
    if (!isWord(next) && next !== PLUS) return unlessCloser(i)
    const behind = skip(sight.skipScalar(i))
    if (behind >= sight.end) return atEnd()
    return code(behind) === COMMA || isCloseBracket(code(behind)) ? END : unlessCloser(i)
  }

  /** A string in an array that another item or the end of the array follows. */
  function stringItem(at: number): Verdict {
    const after = sight.skipString(at)
    if (after === BEYOND) return INNER
    const i = skip(after)
    if (i >= sight.end) return atEnd()
    return code(i) === COMMA || isCloseBracket(code(i)) ? END : INNER
  }

  /** Follows a run of closing brackets outwards; a quote glued to one speaks for inner text. */
  function bracketFollows(at: number, facts: StringFacts): Verdict {
    let level = stack.depth
    let i = at
    while (i < sight.end && isCloseBracket(code(i))) {
      const closer = code(i)
      if (!closes(stack.kindAt(level), closer) && stack.levelOf(closer) === 0) {
        return strayBracket(i, facts)
      }
      while (level > 1 && !closes(stack.kindAt(level), closer)) level--
      level--
      if (level <= 0) return facts.hasInner ? rootFollows(i + 1) : END
      i = skip(i + 1)
    }
    if (i >= sight.end) return atEnd()
    if (!isQuote(code(i))) return END
    return stack.kindAt(level) === OBJECT ? keyFollows(i) : stringItem(i)
  }

  /** A closing bracket that no open container has. */
  function strayBracket(at: number, facts: StringFacts): Verdict {
    const i = skip(at + 1)
    if (i >= sight.end) return atEnd()
    const next = code(i)
    if (next === COMMA) return facts.hasInner ? INNER : END
    return isCloseBracket(next) ? END : unlessCloser(i)
  }

  /** The root just closed: one more quote shows that it did not. */
  function rootFollows(at: number): Verdict {
    if (at >= sight.end) return atEnd()
    return isQuote(code(at)) ? unlessCloser(at) : END
  }

  /** A quote behind the quote: the next string of a concatenation, of an array, or a key. */
  function quoteFollows(at: number, glued: boolean, facts: StringFacts): Verdict {
    const after = sight.skipString(at)
    if (after === BEYOND) return INNER
    const i = skip(after)
    if (i >= sight.end) return glued && !sight.short ? INNER : atEnd()
    const next = code(i)
    if (stack.kind === OBJECT && (next === COLON || next === EQUALS)) return END
    const ends = next === COMMA || isCloseBracket(next) || isQuote(next)
    if (glued) return INNER
    if (stack.kind === OBJECT) return facts.hasInner || !ends ? INNER : at
    return ends || next === OPEN_BRACE || next === OPEN_BRACKET ? END : INNER
  }

  function plusFollows(at: number): Verdict {
    const i = skip(at + 1)
    if (i >= sight.end) return atEnd()
    return isQuote(code(i)) ? i : INNER
  }

  function afterMemberValue(at: number, from: number, facts: StringFacts): Verdict {
    const next = code(at)
    if (next === COMMA || next === SEMICOLON) return memberFollows(at + 1, facts)
    if (isCloseBracket(next)) return bracketFollows(at, facts)
    if (next === PLUS) return plusFollows(at)
    const closer = sight.isCloser(at)
    if (closer !== false) return closer ? END : WAIT
    if (isQuote(next)) return quoteFollows(at, at === from, facts)
    // A key without its comma; only in documents that write keys this way.
    if (facts.bareKeys && at > from && isWord(next)) return bareMember(at, facts)
    return INNER
  }

  function afterItem(at: number, from: number, facts: StringFacts): Verdict {
    const next = code(at)
    if (next === COMMA || next === SEMICOLON) return itemFollows(at + 1, facts)
    if (isCloseBracket(next)) return bracketFollows(at, facts)
    if (next === PLUS) return plusFollows(at)
    const closer = sight.isCloser(at)
    if (closer !== false) return closer ? END : WAIT
    if (isQuote(next)) return quoteFollows(at, at === from, facts)
    if (at > from && (next === OPEN_BRACE || next === OPEN_BRACKET)) return END
    if (next === COLON) return facts.hasInner ? INNER : END
    if (at === from || !(isDigit(next) || next === MINUS)) return INNER
    return itemFollows(at, facts)
  }

  /** A string that is the whole document goes on as long as its line has another quote. */
  function afterRoot(at: number, from: number, facts: StringFacts): Verdict {
    for (let i = from; i < at; i++) if (code(i) === NEWLINE) return END
    const closer = sight.isCloser(at)
    if (closer !== false) return closer ? END : WAIT
    if (code(at) === PLUS) return plusFollows(at) === INNER ? END : plusFollows(at)
    const quote = sight.findQuote(at, facts.quote)
    if (quote === BEYOND) return END
    return quote >= sight.end ? atEnd() : INNER
  }

  function afterKey(at: number, from: number): Verdict {
    const next = code(at)
    if (next === COLON || next === EQUALS || next === COMMA || isCloseBracket(next)) return END
    if (next === OPEN_BRACE || next === OPEN_BRACKET || isDigit(next) || next === MINUS) return END
    const closer = sight.isCloser(at)
    if (closer !== false) return closer ? END : WAIT
    if (at === from) return INNER
    if (isQuote(next)) return END
    return wordAfterKey(at)
  }

  /** A word behind a key: its value without a colon, unless the key's real end is still to come. */
  function wordAfterKey(at: number): Verdict {
    let i = at
    while (i < sight.end && !isQuote(code(i)) && code(i) !== COMMA && code(i) !== NEWLINE) {
      if (code(i) === CLOSE_BRACE) return END
      i++
    }
    if (i >= sight.end) return atEnd()
    if (!isQuote(code(i))) return END
    const behind = skip(i + 1)
    if (behind >= sight.end) return atEnd()
    return code(behind) === COLON ? INNER : END
  }

  return {
    judge(from: number, facts: StringFacts): Verdict {
      const at = skip(from)
      if (at >= sight.end) return atEnd()
      if (facts.isKey) return afterKey(at, from)
      if (stack.kind === OBJECT) return afterMemberValue(at, from, facts)
      if (stack.kind === ROOT) return afterRoot(at, from, facts)
      return afterItem(at, from, facts)
    },
    memberFollows,
    keyFollows,
  }
}
