/** Several schemas that hold at once, as one. */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { equalJson } from '../core/schema/equal.ts'

type Merge = (one: JsonValue, other: JsonValue) => JsonValue | undefined

/** What both say, by keyword; undefined when it cannot be said in one. */
const MERGES: Readonly<Record<string, Merge>> = {
  type: mergeTypes,
  required: (one, other) => [...new Set([...list(one), ...list(other)])],
  enum: (one, other) =>
    list(one).filter((value) => list(other).some((same) => equalJson(value, same))),
  properties: mergeProperties,
  minimum: greater,
  minLength: greater,
  minItems: greater,
  maximum: lesser,
  maxLength: lesser,
  maxItems: lesser,
  additionalProperties: (one, other) => (one === false || other === false ? false : one),
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
  const whole: JsonObject = {}
  for (const [key, value] of schemas.flatMap((schema) => Object.entries(schema))) {
    const before = whole[key]
    if (before === undefined) whole[key] = value
    else if (!WORDS.has(key) && !equalJson(before, value)) {
      const both = MERGES[key]?.(before, value)
      if (both === undefined) tell(`${key} is said in two ways; one of them is left out`)
      else whole[key] = both
    }
  }
  return whole
}

/** A property that both have must satisfy both. */
function mergeProperties(one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (!isJsonObject(one) || !isJsonObject(other)) return undefined
  const whole: JsonObject = { ...one }
  for (const [name, schema] of Object.entries(other)) {
    const before = Object.hasOwn(whole, name) ? whole[name] : undefined
    const isSame = before === undefined || equalJson(before, schema)
    whole[name] = isSame ? schema : { allOf: [before, schema] }
  }
  return whole
}

function mergeTypes(one: JsonValue, other: JsonValue): JsonValue | undefined {
  const allowed = list(one).filter((type) => list(other).some((same) => covers(same, type)))
  const narrowed = list(other).filter((type) => list(one).some((wide) => covers(wide, type)))
  const types = [...new Set([...allowed, ...narrowed])]
  const [first] = types
  return types.length > 1 ? types : first
}

function covers(wide: JsonValue, type: JsonValue): boolean {
  return wide === type || (wide === 'number' && type === 'integer')
}

function list(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [value]
}

function greater(one: JsonValue, other: JsonValue): JsonValue | undefined {
  return typeof one === 'number' && typeof other === 'number' ? Math.max(one, other) : undefined
}

function lesser(one: JsonValue, other: JsonValue): JsonValue | undefined {
  return typeof one === 'number' && typeof other === 'number' ? Math.min(one, other) : undefined
}
