/** What is wrong with a value, in words that tell a model what to write instead. */
import type { JsonPath } from '../issue.ts'
import type { JsonValue } from '../json/value.ts'
import { show } from './convert.ts'
import { typeOf } from './resolve.ts'

/** The path leads from the value that was looked at. */
export interface Flaw {
  readonly path: JsonPath
  readonly message: string
  /** A wrong type, or not the constant that was asked for: both tell that another form is meant. */
  readonly kind?: 'type' | 'member'
}

const MAX_LISTED = 20
const MAX_TEXT = 100

/** `string "abc"`, `null`, `an array`. */
export function describe(value: JsonValue): string {
  const type = typeOf(value)
  if (type === undefined || type === 'null' || typeof value === 'object') return show(value)
  return `${type === 'integer' ? 'number' : type} ${show(value)}`
}

/** A value of a schema as JSON. */
export function write(value: JsonValue | undefined): string {
  return clip(JSON.stringify(value) ?? 'undefined')
}

export function listOf(texts: readonly string[]): string {
  const rest = texts.length > MAX_LISTED ? ', …' : ''
  return texts.slice(0, MAX_LISTED).map(clip).join(', ') + rest
}

export function clip(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
