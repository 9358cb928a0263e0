/**
 * JSON Schema in the form that OpenAI can hold a model to: objects are closed and all their properties
 * required. One that was optional may be null instead, and models do answer null.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { JsonSchema } from '../core/model.ts'
import { mergeSchemas } from './schema-merge.ts'

/** Told where in the schema something is lost, and what. */
export type TellLoss = (path: string, loss: string) => void

/** Refused, though a schema says nearly the same without them. */
const REFUSED: ReadonlySet<string> = new Set([
  ...[
    'not',
    'if',
    'then',
    'else',
    'uniqueItems',
    'minProperties',
    'maxProperties',
    'propertyNames',
  ],
  ...['dependentRequired', 'dependentSchemas', 'dependencies', 'contains', 'minContains'],
  ...['maxContains', 'unevaluatedItems', 'unevaluatedProperties', 'contentEncoding'],
  ...['contentMediaType', 'contentSchema', '$anchor', '$dynamicRef', '$dynamicAnchor'],
  ...['$recursiveRef', '$recursiveAnchor', 'additionalItems'],
])

const MAX_DEPTH = 64

/** The schema made strict; undefined, and told, when it cannot be. */
export function strictSchema(
  schema: JsonSchema,
  tell: TellLoss = () => {},
): JsonObject | undefined {
  let isPossible = true

  function giveUp(path: string, reason: string): JsonObject {
    isPossible = false
    tell(path, `${reason}, so the schema cannot be strict`)
    return {}
  }

  function lower(given: JsonValue | undefined, path: string, depth = 0): JsonObject {
    if (!isJsonObject(given) || depth > MAX_DEPTH) return giveUp(path, 'any value is allowed')
    const whole = composed(given, path)
    if ('$ref' in whole) return reference(whole, path)
    const strict: JsonObject = {}
    for (const [key, value] of Object.entries(whole)) {
      if (REFUSED.has(key)) tell(path, `${key} is left out`)
      else Object.assign(strict, lowerField(key, value, `${path}/${key}`, depth))
    }
    return isObject(whole) ? closed(strict, whole, path) : checked(strict, path)
  }

  function lowerField(key: string, value: JsonValue, path: string, depth: number): JsonObject {
    if (key === 'items') return { items: lower(value, path, depth + 1) }
    if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value)) {
      if (key === 'oneOf') tell(path, 'oneOf becomes anyOf')
      return { anyOf: value.map((one, at) => lower(one, `${path}/${at}`, depth + 1)) }
    }
    const isMap = key === 'properties' || key === '$defs' || key === 'definitions'
    if (!isMap || !isJsonObject(value)) return { [key]: value }
    const members = Object.entries(value)
    return {
      [key]: Object.fromEntries(
        members.map(([name, one]) => [name, lower(one, `${path}/${name}`, depth + 1)]),
      ),
    }
  }

  /** Parts that must all hold, as one. */
  function composed(schema: JsonObject, path: string): JsonObject {
    const { allOf, ...own } = schema as Record<string, JsonValue> & JsonObject
    if (!Array.isArray(allOf)) return schema
    const members = allOf.filter(isJsonObject)
    const [only] = members
    if (members.length === 1 && only && Object.keys(own).length === 0) return only
    if (members.some((member) => '$ref' in member || 'allOf' in member)) {
      return giveUp(path, 'allOf is made of references')
    }
    return mergeSchemas([own, ...members], (loss) => tell(path, loss))
  }

  function reference({ $ref, description }: JsonObject, path: string): JsonObject {
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) {
      return giveUp(path, 'it refers to itself or to another document')
    }
    return { $ref, ...(description !== undefined && { description }) }
  }

  function closed(strict: JsonObject, schema: JsonObject, path: string): JsonObject {
    const { additionalProperties: open, patternProperties } = schema as Record<string, JsonValue>
    if (isJsonObject(open) || patternProperties !== undefined) {
      return giveUp(path, 'properties of any name are allowed')
    }
    if (open === true) tell(path, 'other properties are not allowed any more')
    const properties = isJsonObject(strict['properties']) ? strict['properties'] : {}
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
    const entries = Object.entries(properties).map(([name, one]) => {
      const isOptional = !required.has(name) && isJsonObject(one)
      return [name, isOptional ? nullable(one) : one] as const
    })
    return {
      ...strict,
      properties: Object.fromEntries(entries),
      required: Object.keys(properties),
      additionalProperties: false,
    }
  }

  function checked(strict: JsonObject, path: string): JsonObject {
    const { type, items, prefixItems } = strict as Record<string, JsonValue | undefined>
    if (type === 'array' && (prefixItems !== undefined || !isJsonObject(items))) {
      return giveUp(path, 'the members of a list have no common schema')
    }
    const isTyped = ['type', 'anyOf', 'enum', 'const'].some((key) => key in strict)
    return isTyped ? strict : giveUp(path, 'any value is allowed')
  }

  if (!isJsonObject(schema) || !isObject(schema) || 'anyOf' in schema || 'oneOf' in schema) {
    return giveUp('', 'it is not one object') && undefined
  }
  const strict = lower(schema, '')
  return isPossible ? strict : undefined
}

function isObject({ type, properties }: JsonObject): boolean {
  if (Array.isArray(type)) return type.includes('object')
  return type === 'object' || (type === undefined && isJsonObject(properties))
}

/** The same, or null. */
function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: members } = schema as Record<string, JsonValue | undefined>
  if (Array.isArray(anyOf)) {
    const hasNull = anyOf.some((one) => isJsonObject(one) && one['type'] === 'null')
    return hasNull ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  }
  if (type === undefined || 'const' in schema) return { anyOf: [schema, { type: 'null' }] }
  const types = Array.isArray(type) ? type : [type]
  if (types.includes('null')) return schema
  const allowed = Array.isArray(members) ? { enum: [...members, null] } : {}
  return { ...schema, type: [...types, 'null'], ...allowed }
}
