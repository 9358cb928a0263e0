/** Marks of more than one character. */
import { COMMA, DOT, ELLIPSIS, isCloseBracket } from './codes.ts'
import { WAIT } from './string-end.ts'

/** Three quotes, and no bracket or comma behind that would make them a quote in quotes. */
export function isTripleQuote(text: string, at: number, last: boolean): boolean | undefined {
  const code = text.charCodeAt(at)
  for (let i = at + 1; i < at + 4; i++) {
    if (i >= text.length) return last ? i === at + 3 : undefined
    const next = text.charCodeAt(i)
    if (i < at + 3 && next !== code) return false
    if (i === at + 3) return next !== COMMA && !isCloseBracket(next)
  }
  return false
}

/** Dots of an ellipsis at `at`: 0 when there is none, WAIT when more text must tell. */
export function ellipsisLength(text: string, at: number, last: boolean): number {
  if (text.charCodeAt(at) === ELLIPSIS) return 1
  for (let i = at; i < at + 3; i++) {
    if (i >= text.length) return last ? 0 : WAIT
    if (text.charCodeAt(i) !== DOT) return 0
  }
  return 3
}
