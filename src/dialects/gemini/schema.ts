/**
 * Schemas in the subset of OpenAPI that Gemini takes: one type for each schema, `nullable` instead of
 * `null`, no references. An unknown keyword makes the API refuse the request, so everything else is
 * said in other words or left out, and each loss is told.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { JsonSchema } from '../../core/model.ts'
import { distinctJson } from '../../core/schema/json-text.ts'
import { mergeSchemas } from '../schema-merge.ts'
import { lowerEnum } from './enum.ts'
import { createReferences, type References } from './reference.ts'

/** Told where in the schema something is lost, and what. */
export type TellLoss = (path: string, loss: string) => void

/** Without limits a schema of a few lines could be inlined into one of gigabytes. */
const MAX_DEPTH = 32
const MAX_SCHEMAS = 5000

/** Kept as they are. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'example', 'nullable', 'pattern', 'propertyOrdering'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties'],
])

/** Read and said in other words below, or without any meaning of their own. */
const HANDLED: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', '$anchor', '$defs', 'definitions', '$ref', 'allOf'],
  ...['type', 'anyOf', 'oneOf', 'enum', 'const', 'format', 'required', 'properties'],
  ...['items', 'prefixItems', 'exclusiveMinimum', 'exclusiveMaximum', 'examples'],
])

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  integer: ['int32', 'int64', 'enum'],
  number: ['float', 'double', 'enum'],
}

/** Any value, since a schema must have a type. */
const ANY_TYPES = ['string', 'number', 'boolean', 'object'] as const

/** Keywords that tell the type of a schema that does not say it. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['pattern', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
}

interface Place {
  readonly path: string
  readonly depth: number
  readonly references: References
}

/** The schema as Gemini takes it. */
export function lowerSchema(schema: JsonSchema, tell: TellLoss = () => {}): JsonObject {
  let left = MAX_SCHEMAS

  function lower(given: JsonValue | undefined, place: Place): JsonObject {
    const { path, depth } = place
    if (depth > MAX_DEPTH || left-- <= 0) {
      tell(path, 'too deep or too large; any object is allowed instead')
      return { type: 'object' }
    }
    if (given === false) tell(path, 'nothing is allowed here, which cannot be said')
    if (!isJsonObject(given)) return anything(path, {})
    const found = place.references.follow(given, (loss) => tell(path, loss))
    if (!found) return { ...plainFields(given), type: 'object' }
    return lowerOne(found.schema, { ...place, references: found.references })
  }

  /** A schema without `$ref` and `allOf`. */
  function lowerOne(schema: JsonObject, place: Place): JsonObject {
    tellUnknown(schema, place.path)
    const alternatives = alternativesOf(schema, place.path)
    if (alternatives) return lowerAlternatives(schema, alternatives, place)
    const type = typeOf(schema, place.path)
    if (type === undefined) return anything(place.path, plainFields(schema))
    return {
      ...plainFields(schema),
      type,
      ...lowerFormat(schema, type, place.path),
      ...lowerEnum(schema, type, (loss) => tell(place.path, loss)),
      ...lowerRange(schema, type, place.path),
      ...(type === 'object' && lowerProperties(schema, place)),
      ...(type === 'array' && { items: lowerItems(schema, place) }),
      ...lowerExamples(schema, place.path),
    }
  }

  /** Each alternative says what the schema says about the value. */
  function anything(
    path: string,
    { title, description, nullable, ...rest }: JsonObject,
  ): JsonObject {
    tell(path, 'any value is allowed, but lists')
    for (const key of Object.keys(rest)) tell(path, `${key} is left out`)
    const words = Object.entries({ title, description, nullable })
    const fields = Object.fromEntries(
      words.filter(([, value]) => value !== undefined),
    ) as JsonObject
    return { anyOf: ANY_TYPES.map((type) => ({ ...fields, type })) }
  }

  function tellUnknown(schema: JsonObject, path: string): void {
    for (const key of Object.keys(schema)) {
      if (!PLAIN.has(key) && !HANDLED.has(key)) tell(path, `${key} is left out`)
    }
  }

  /** What a value may be, when that is more than one thing; null is no alternative of its own. */
  function alternativesOf(schema: JsonObject, path: string): JsonObject[] | undefined {
    const { anyOf, oneOf, type } = schema as Record<string, JsonValue | undefined>
    if (Array.isArray(oneOf)) tell(path, 'oneOf becomes anyOf')
    const listed = Array.isArray(anyOf) ? anyOf : oneOf
    if (Array.isArray(anyOf) && Array.isArray(oneOf)) tell(path, 'oneOf beside anyOf is left out')
    if (Array.isArray(listed)) {
      return listed.map((member) => (isJsonObject(member) ? member : {}))
    }
    const types = Array.isArray(type) ? type : []
    return types.length > 1 ? types.map((one) => ({ type: one })) : undefined
  }

  /**
   * Beside `anyOf` nothing else may stand, so that each alternative says all that holds. One that is
   * left alone stands for itself.
   */
  function lowerAlternatives(
    schema: JsonObject,
    alternatives: readonly JsonObject[],
    place: Place,
  ): JsonObject {
    const { anyOf: _, oneOf: __, type, ...others } = schema
    const base = Object.entries(others).filter(([key]) => PLAIN.has(key) || HANDLED.has(key))
    const common: JsonObject = {
      ...Object.fromEntries(base),
      ...(typeof type === 'string' && { type }),
    }
    const rest = alternatives.filter((member) => !isNull(member))
    const isNullable = rest.length < alternatives.length || common['nullable'] === true
    const nullable = isNullable ? { nullable: true } : {}
    if (rest.length === 0) return { ...plainFields(common), type: 'null' }
    const lowered = rest.map((member, at) => {
      const path = rest.length === 1 ? place.path : `${place.path}/anyOf/${at}`
      const whole = mergeSchemas([member, common], (loss) => tell(path, loss))
      return { ...lower(whole, { ...place, path, depth: place.depth + 1 }), ...nullable }
    })
    const flat = spread(lowered)
    const [only = {}] = flat
    return flat.length === 1 ? only : { anyOf: flat }
  }

  function lowerFormat(schema: JsonObject, type: string, path: string): JsonObject {
    const { format } = schema as { format?: JsonValue }
    if (typeof format !== 'string') return {}
    if (FORMATS[type]?.includes(format)) return { format }
    tell(path, `the format ${format} is left out`)
    return {}
  }

  /** Integers above 3 are those from 4; for other numbers the limit itself gets in. */
  function lowerRange(schema: JsonObject, type: string, path: string): JsonObject {
    const limits: JsonObject = {}
    for (const [key, exclusive, step] of [
      ['minimum', 'exclusiveMinimum', 1],
      ['maximum', 'exclusiveMaximum', -1],
    ] as const) {
      const { [exclusive]: value, [key]: plain } = schema as Record<string, JsonValue | undefined>
      // Once a flag beside the limit, today a limit of its own.
      const limit = value === true ? plain : value
      if (typeof limit !== 'number') continue
      if (type !== 'integer') tell(path, `${exclusive} becomes ${key}`)
      const inside = type === 'integer' ? nextInteger(limit, step) : limit
      limits[key] =
        value === true || typeof plain !== 'number' ? inside : stricter(inside, plain, step)
    }
    return limits
  }

  function lowerProperties(schema: JsonObject, place: Place): JsonObject {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
    const names = Object.keys(properties)
    const required = texts(schema['required'])
    const known = required.filter((name) => Object.hasOwn(properties, name))
    for (const name of required) {
      if (!Object.hasOwn(properties, name))
        tell(place.path, `required ${name} is no property and left out`)
    }
    if (names.length === 0) return {}
    return {
      properties: Object.fromEntries(
        names.map((name) => [name, lower(properties[name], step(place, `properties/${name}`))]),
      ),
      ...(known.length > 0 && { required: known }),
    }
  }

  /** All members of a list have one schema. */
  function lowerItems(schema: JsonObject, place: Place): JsonObject {
    const { items, prefixItems } = schema as Record<string, JsonValue | undefined>
    const tuple = Array.isArray(prefixItems)
      ? prefixItems
      : Array.isArray(items)
        ? items
        : undefined
    if (!tuple) return lower(items ?? true, step(place, 'items'))
    tell(place.path, 'the order in which members of the list differ is left out')
    return lower(tuple.length > 0 ? { anyOf: tuple } : true, step(place, 'items'))
  }

  function lowerExamples({ examples, example }: JsonObject, path: string): JsonObject {
    if (!Array.isArray(examples) || examples.length === 0 || example !== undefined) return {}
    if (examples.length > 1) tell(path, 'examples but the first are left out')
    return { example: examples[0] ?? null }
  }

  /** The one type of a schema, read from what else it says when it does not say so. */
  function typeOf(schema: JsonObject, path: string): string | undefined {
    const { type } = schema as { type?: JsonValue }
    const [only = type] = Array.isArray(type) ? type : []
    if (typeof only === 'string') return only.toLowerCase()
    const [told] = Object.entries(TELLING).flatMap(([name, keys]) =>
      keys.some((key) => key in schema) ? [name] : [],
    )
    if (told !== undefined) return told
    const members = Array.isArray(schema['enum']) ? schema['enum'] : [schema['const']]
    const types = new Set(members.filter((value) => value !== null).map(typeOfValue))
    const [first] = types
    if (types.size > 1) tell(path, 'the values are of several types and are written as text')
    return types.size > 1 ? 'string' : first
  }

  const references = createReferences(schema)
  return lower(schema, { path: '', depth: 0, references })
}

function step(place: Place, name: string): Place {
  return { ...place, path: `${place.path}/${name}`, depth: place.depth + 1 }
}

function plainFields(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => PLAIN.has(key)))
}

function isNull({ type, const: only, enum: members }: JsonObject): boolean {
  if (type === 'null' || (only === null && type === undefined)) return true
  return Array.isArray(members) && members.length > 0 && members.every((value) => value === null)
}

/** Alternatives that are lists of alternatives themselves, as one list without repetitions. */
function spread(schemas: readonly JsonObject[]): JsonObject[] {
  const flat = schemas.flatMap(({ anyOf, nullable, ...schema }) => {
    const members = Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : [schema]
    return members.map((member) => (nullable === true ? { ...member, nullable } : member))
  })
  return distinctJson(flat)
}

function typeOfValue(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (Array.isArray(value)) return 'array'
  if (isJsonObject(value)) return 'object'
  return value === undefined ? undefined : typeof value
}

function nextInteger(limit: number, step: 1 | -1): number {
  return step === 1 ? Math.floor(limit) + 1 : Math.ceil(limit) - 1
}

function stricter(one: number, other: number, step: 1 | -1): number {
  return step === 1 ? Math.max(one, other) : Math.min(one, other)
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
