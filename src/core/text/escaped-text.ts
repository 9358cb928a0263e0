/**
 * Text of a format without escapes that a model escaped all the same, as XML would want it. Code and
 * documents about XML have references as well, but also a bare `<`, `>` or `&`: then nothing is decoded.
 */
import { decodeEntities } from './entities.ts'

export interface EscapedText {
  /** Takes a piece and returns what can be told of the text. */
  add(piece: string): string
  /** The text is over: the rest of it. */
  end(): string
  /** True when references were decoded. */
  readonly isDecoded: boolean
}

/** Only for these does a text between tags need escapes; behind `&amp;` they were escaped twice. */
const ESCAPED_BRACKET = /&(?:amp;)*[lg]t;/
const BARE_AMPERSAND = /&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[\da-f]+);)/i

export function createEscapedText(): EscapedText {
  /** From the first reference on; undefined once the text is known to be as it is meant. */
  let held: string[] | undefined = []
  const text = { add, end, isDecoded: false }

  function add(piece: string): string {
    if (!held) return piece
    if (/[<>]/.test(piece)) return asItIs(held, piece)
    const start = held.length > 0 ? 0 : piece.indexOf('&')
    if (start === -1) return piece
    held.push(piece.slice(start))
    return piece.slice(0, start)
  }

  function asItIs(before: readonly string[], piece: string): string {
    held = undefined
    return before.join('') + piece
  }

  function end(): string {
    const rest = held?.join('') ?? ''
    text.isDecoded = ESCAPED_BRACKET.test(rest) && !BARE_AMPERSAND.test(rest)
    return text.isDecoded ? decodeEntities(rest) : rest
  }

  return text
}
