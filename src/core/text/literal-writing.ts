/** How the Gemma family writes calls and results. */
import { writing } from '../instructions.ts'
import { toValue } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import { writeJson } from '../json/write.ts'
import type { Protocol } from '../protocol.ts'
import { formatResultText } from '../result-text.ts'
import type { LiteralMarks } from './literal-text.ts'

/** Results stand between the two markers given. */
export function literalWriting(
  marks: LiteralMarks,
  [openResult, closeResult]: readonly [open: string, close: string],
): Pick<Protocol, 'formatTools' | 'formatCall' | 'formatResult'> {
  const { open, close } = marks
  return {
    ...writing(
      ({ name, arguments: args }) =>
        `${open}call:${name}${writeLiteral(toValue(writeJson(args)), marks)}${close}`,
    ),
    formatResult(result) {
      const value = writeLiteral({ value: formatResultText(result) }, marks)
      return `${openResult}response:${result.name ?? ''}${value}${closeResult}`
    },
  }
}

const PLAIN_KEY = /^[a-z_]\w*$/i

function writeLiteral(value: JsonValue, marks: LiteralMarks): string {
  if (typeof value === 'string') return writeText(value, marks)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map((item) => writeLiteral(item, marks)).join()}]`
  const members = Object.entries(value).map(
    ([key, member]) =>
      `${PLAIN_KEY.test(key) ? key : inQuotes(key)}:${writeLiteral(member, marks)}`,
  )
  return `{${members.join()}}`
}

/** A text that quotes what would end it is written as JSON, without the first sign of a marker. */
function writeText(text: string, { quote, close }: LiteralMarks): string {
  return text.includes(quote) || text.includes(close) ? inQuotes(text) : quote + text + quote
}

function inQuotes(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c')
}
