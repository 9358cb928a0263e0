/** Quoted text as models write it, in either kind of quotes. */
import { readJson } from '../json/read.ts'
import { findClosingQuote } from './split.ts'

/** The text between the quotes, when they enclose all of it. */
export function unquote(text: string): string | undefined {
  if (!/^["']./s.test(text) || findClosingQuote(text, 0) !== text.length - 1) return undefined
  const { value } = readJson(text)
  return typeof value === 'string' ? value : text.slice(1, -1)
}
