/** Writes values as a language spells them, and calls as Python. */
import { parseObject } from '../json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts'
import { writeJson } from '../json/write.ts'
import type { Protocol } from '../protocol.ts'

/** How a language spells values. */
export interface Spelling {
  text(text: string): string
  /** With what separates it from its value. */
  key(key: string): string
  readonly comma: string
  /** Its words for JSON's. */
  readonly words: Readonly<Record<string, string>>
}

export const IDENTIFIER: RegExp = /^[A-Za-z_]\w*$/

const PYTHON: Spelling = {
  text: (text) => JSON.stringify(text),
  key: (key) => `${JSON.stringify(key)}: `,
  comma: ', ',
  words: { null: 'None', true: 'True', false: 'False' },
}

export function writeValue(value: JsonValue, spelling: Spelling): string {
  const { text, key, comma, words } = spelling
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value))
    return `[${value.map((item) => writeValue(item, spelling)).join(comma)}]`
  if (!isJsonObject(value)) return words[String(value)] ?? String(value)
  const members = Object.entries(value).map(
    ([name, member]) => key(name) + writeValue(member, spelling),
  )
  return `{${members.join(comma)}}`
}

/** As JSON has them: what has no place there has none here. */
export function plainArguments(args: object): JsonObject {
  return parseObject(writeJson(args)) ?? {}
}

/** Writes `get_weather(city="Oslo", days=3)` between what is given. */
export function writePythonCall(open: string, close: string, suffix = ''): Protocol['formatCall'] {
  return ({ name, arguments: args }) => `${open}${name}${suffix}(${writeArguments(args)})${close}`
}

/** Names that Python does not allow go into a dict. */
function writeArguments(args: object): string {
  const named: string[] = []
  const others: [string, JsonValue][] = []
  for (const [key, value] of Object.entries(plainArguments(args))) {
    if (IDENTIFIER.test(key)) named.push(`${key}=${writeValue(value, PYTHON)}`)
    else others.push([key, value])
  }
  if (others.length > 0) named.push(`**${writeValue(Object.fromEntries(others), PYTHON)}`)
  return named.join(', ')
}
