/** Several schemas that hold at once, as one. */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { distinctJson } from '../core/schema/json-text.ts'
import { membersOf } from '../core/schema/members.ts'

type Merge = (values: readonly JsonValue[]) => JsonValue | undefined

/** What all of them say, by keyword; undefined when it cannot be said in one. The values differ. */
const MERGES: Readonly<Record<string, Merge>> = {
  type: mergeTypes,
  required: (lists) => [...new Set(lists.flatMap(list))],
  enum: ([first = [], ...others]) => {
    const members = others.map((other) => membersOf(list(other)))
    return list(first).filter((value) => members.every(({ has }) => has(value)))
  },
  properties: mergeProperties,
  minimum: greatest,
  minLength: greatest,
  minItems: greatest,
  maximum: least,
  maxLength: least,
  maxItems: least,
  additionalProperties: (values) => (values.includes(false) ? false : values[0]),
}

/** Words about the value rather than about what it may be: those of the first schema stand. */
const WORDS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'example', 'examples', '$schema', '$id', '$comment'],
  ...['$defs', 'definitions'],
])

export function mergeSchemas(
  schemas: readonly JsonObject[],
  tell: (loss: string) => void,
): JsonObject {
  const entries = Array.from(byKey(schemas), ([key, values]): [string, JsonValue] => {
    const [first = null] = values
    if (values.length === 1 || WORDS.has(key)) return [key, first]
    const different = distinctJson(values)
    if (different.length === 1) return [key, first]
    const whole = MERGES[key]?.(different)
    if (whole === undefined) tell(`${key} is said in two ways; one of them is left out`)
    return [key, whole ?? first]
  })
  return Object.fromEntries(entries)
}

/** What the objects have under each key. */
function byKey(objects: readonly JsonObject[]): Map<string, JsonValue[]> {
  const groups = new Map<string, JsonValue[]>()
  for (const [key, value] of objects.flatMap((object) => Object.entries(object))) {
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

/** A property that several have must satisfy all of them. */
function mergeProperties(objects: readonly JsonValue[]): JsonValue | undefined {
  if (!objects.every(isJsonObject)) return undefined
  const entries = Array.from(byKey(objects), ([name, schemas]): [string, JsonValue] => {
    const different = schemas.length === 1 ? schemas : distinctJson(schemas)
    const [only = true] = different
    return [name, different.length === 1 ? only : { allOf: different }]
  })
  return Object.fromEntries(entries)
}

function mergeTypes(lists: readonly JsonValue[]): JsonValue | undefined {
  const sets = lists.map((types) => new Set(list(types)))
  const named = new Set(lists.flatMap(list))
  const types = [...named].filter((type) => sets.every((types) => covers(types, type)))
  const [first] = types
  return types.length > 1 ? types : first
}

function covers(types: ReadonlySet<JsonValue>, type: JsonValue): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'))
}

function list(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value]
}

function greatest(values: readonly JsonValue[]): JsonValue | undefined {
  const numbers = values.filter((value) => typeof value === 'number')
  return numbers.length === values.length ? numbers.reduce(larger) : undefined
}

function least(values: readonly JsonValue[]): JsonValue | undefined {
  const numbers = values.filter((value) => typeof value === 'number')
  return numbers.length === values.length ? numbers.reduce(smaller) : undefined
}

function larger(one: number, other: number): number {
  return Math.max(one, other)
}

function smaller(one: number, other: number): number {
  return Math.min(one, other)
}
