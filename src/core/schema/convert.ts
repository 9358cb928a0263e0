/** Turns one value into another type, where that has exactly one sensible result. */
import type { Repair, RepairCode } from '../issue.ts'
import type { JsonValue } from '../json/value.ts'
import type { EmbeddedJson } from './embedded-json.ts'
import { readNumber } from './number.ts'
import { type Outcome, repaired } from './outcome.ts'
import { isOfType, type TypeName, typeOf } from './resolve.ts'

/** Reads text that spells an object or array; the caller may remember what it has read. */
export type Decode = (text: string) => EmbeddedJson | undefined

const MAX_SHOWN = 80

const WORDS: readonly (readonly [RegExp, meaning: boolean | null, Repair['risk']])[] = [
  [/^(null|none)$/i, null, 'safe'],
  [/^true$/i, true, 'safe'],
  [/^false$/i, false, 'safe'],
  [/^$/, null, 'guess'],
  [/^(yes|on|enabled|1)$/i, true, 'guess'],
  [/^(no|off|disabled|0)$/i, false, 'guess'],
]

/** The value in another type; undefined when it has no reading there. */
export function convert(
  value: JsonValue,
  type: TypeName | 'any',
  decode: Decode,
): Outcome | undefined {
  if (typeof value === 'object') return undefined
  const text = String(value).trim()
  switch (type) {
    case 'any':
      return undefined
    case 'string':
      return repaired(text, repairOf('coerced-string', riskOfText(value), value, text))
    case 'integer':
    case 'number': {
      const number = readNumber(text)
      if (number === undefined || !isOfType(typeOf(number), type)) return undefined
      return repaired(number, repairOf('coerced-number', 'safe', value, number))
    }
    case 'null':
    case 'boolean': {
      const word = WORDS.find(
        ([pattern, meaning]) => typeOf(meaning) === type && pattern.test(text),
      )
      if (!word) return undefined
      const [, meaning, risk] = word
      return repaired(meaning, repairOf(`coerced-${type}`, risk, value, meaning))
    }
    default: {
      if (text === '' && type === 'array') {
        return repaired([], repairOf('coerced-array', 'guess', value))
      }
      const spelled = decode(text)
      if (!spelled || typeOf(spelled.value) !== type) return undefined
      return repaired(spelled.value, repairOf('coerced-json', 'safe', value), spelled.repairs)
    }
  }
}

// An integer beyond 2^53 has already lost digits that the text would pretend to have.
function riskOfText(value: JsonValue): Repair['risk'] {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'guess' : 'safe'
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
  if (!isScalar(value)) return Array.isArray(value) ? 'an array' : 'an object'
  return typeof value === 'string' ? JSON.stringify(clip(value)) : clip(String(value))
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean | null {
  return value === null || (value !== undefined && typeof value !== 'object')
}

function clip(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
