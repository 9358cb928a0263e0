/** Turns one value into another type, where that has exactly one sensible result. */
import type { Repair, RepairCode } from '../issue.ts'
import type { JsonValue } from '../json/value.ts'
import type { EmbeddedJson } from './embedded-json.ts'
import type { TypeName } from './resolve.ts'
import { readNumber, toBoolean, toText } from './scalar.ts'

export interface Conversion {
  readonly value: JsonValue
  readonly repairs: readonly Repair[]
}

/** Reads text that spells an object or array; the caller may remember what it has read. */
export type Decode = (text: string) => EmbeddedJson | undefined

const MAX_SHOWN = 80

/** The value in another type; undefined when it has no reading there. */
export function convert(
  value: JsonValue,
  type: TypeName | 'any',
  decode: Decode,
): Conversion | undefined {
  switch (type) {
    case 'null':
      return convertToNull(value)
    case 'boolean':
      return convertToBoolean(value)
    case 'integer':
    case 'number':
      return convertToNumber(value, type)
    case 'string':
      return convertToString(value)
    case 'array':
      return convertToArray(value, decode)
    case 'object':
      return convertToObject(value, decode)
    case 'any':
      return undefined
    default:
      return type satisfies never
  }
}

/** A repair of a whole value; its place is filled in by whoever knows it. */
export function repairOf(
  code: RepairCode,
  risk: Repair['risk'],
  before: JsonValue,
  after?: JsonValue,
): Repair {
  return {
    code,
    path: [],
    risk,
    ...(isScalar(before) && { before: show(before) }),
    ...(isScalar(after) && { after: show(after) }),
  }
}

/** A value in a few words, for people to read: it can be megabytes long. */
export function show(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(clip(value))
  if (isScalar(value)) return clip(String(value))
  return Array.isArray(value) ? 'an array' : 'an object'
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean | null {
  return value !== undefined && (typeof value !== 'object' || value === null)
}

function clip(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

function convertToNull(value: JsonValue): Conversion | undefined {
  if (typeof value !== 'string') return undefined
  const word = value.trim().toLowerCase()
  if (word === '') return one('coerced-null', 'guess', value, null)
  return word === 'null' || word === 'none' ? one('coerced-null', 'safe', value, null) : undefined
}

function convertToBoolean(value: JsonValue): Conversion | undefined {
  const spelled = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (spelled === 'true') return one('coerced-boolean', 'safe', value, true)
  if (spelled === 'false') return one('coerced-boolean', 'safe', value, false)
  if (typeof spelled !== 'string' && spelled !== 1 && spelled !== 0) return undefined
  const meant = toBoolean(spelled)
  return meant === undefined ? undefined : one('coerced-boolean', 'guess', value, meant)
}

function convertToNumber(value: JsonValue, type: 'integer' | 'number'): Conversion | undefined {
  const number = typeof value === 'string' ? readNumber(value.trim()) : undefined
  if (number === undefined) return undefined
  if (type === 'integer' && !Number.isSafeInteger(number)) return undefined
  return one('coerced-number', 'safe', value, number)
}

function convertToString(value: JsonValue): Conversion | undefined {
  const text = toText(value)
  if (text === undefined) return undefined
  // An integer beyond 2^53 has already lost digits that the text would pretend to have.
  const exact = !Number.isInteger(value) || Number.isSafeInteger(value)
  return one('coerced-string', exact ? 'safe' : 'guess', value, text)
}

function convertToArray(value: JsonValue, decode: Decode): Conversion | undefined {
  const spelled = typeof value === 'string' ? decode(value) : undefined
  return spelled && Array.isArray(spelled.value) ? decoded(value, spelled) : undefined
}

function convertToObject(value: JsonValue, decode: Decode): Conversion | undefined {
  const spelled = typeof value === 'string' ? decode(value) : undefined
  return spelled && !Array.isArray(spelled.value) ? decoded(value, spelled) : undefined
}

function decoded(before: JsonValue, { value, repairs }: EmbeddedJson): Conversion {
  return { value, repairs: [repairOf('coerced-json', 'safe', before, value), ...repairs] }
}

function one(
  code: RepairCode,
  risk: Repair['risk'],
  before: JsonValue,
  after: JsonValue,
): Conversion {
  return { value: after, repairs: [repairOf(code, risk, before, after)] }
}
