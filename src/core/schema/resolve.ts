/**
 * Reads the part of JSON Schema that coercion needs and brings it into one form: a schema is a list
 * of alternatives, each with one type. `$ref` is followed, `allOf` merged, `anyOf`, `oneOf` and type
 * lists spread out. Keywords that only narrow a value (`minimum`, `pattern` …) are left to validators.
 */
import type { JsonObject, JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { equalJson } from './equal.ts'

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** One way a value can satisfy a schema. */
export interface Alternative {
  readonly type: TypeName | 'any'
  /** From `enum` and `const`: the only values allowed. */
  readonly members: readonly JsonValue[] | undefined
  readonly properties: ReadonlyMap<string, JsonSchema>
  readonly required: readonly string[]
  /** The schema of keys that are not declared; undefined when the schema does not mention them. */
  readonly additional: JsonSchema | undefined
  /** `patternProperties` may speak for any key, so undeclared keys are not ours to judge. */
  readonly patterned: boolean
  readonly prefix: readonly JsonSchema[]
  readonly items: JsonSchema
}

/** More alternatives than this say too little to coerce by; the schema then counts as open. */
const MAX_ALTERNATIVES = 64

/** Schemas looked at for one list of alternatives: definitions that refer to each other can double. */
const MAX_EXPANSIONS = 2000

const ALL_TYPES: readonly TypeName[] = [
  'null',
  'boolean',
  'integer',
  'number',
  'string',
  'array',
  'object',
]

const ANY: Alternative = {
  type: 'any',
  members: undefined,
  properties: new Map(),
  required: [],
  additional: undefined,
  patterned: false,
  prefix: [],
  items: true,
}

const OPEN: readonly Alternative[] = [ANY]

/** What people write for a type, in lower case, besides the names of JSON Schema. */
const TYPE_ALIASES: ReadonlyMap<string, TypeName> = new Map([
  ...alias('string', 'str', 'text', 'varchar', 'char', 'enum'),
  ...alias('integer', 'int', 'int8', 'int16', 'int32', 'int64', 'uint', 'uint8', 'uint16'),
  ...alias('integer', 'uint32', 'uint64', 'long', 'short', 'bigint'),
  ...alias('number', 'num', 'float', 'float32', 'float64', 'double', 'decimal'),
  ...alias('boolean', 'bool'),
  ...alias('array', 'list', 'arr', 'tuple'),
  ...alias('object', 'dict', 'dictionary', 'map', 'record'),
  ...alias('null', 'none', 'nil'),
  ...ALL_TYPES.map((name) => [name, name] as const),
])

// By root first, because a `$ref` in a subschema means what the document around it says.
const compiled = new WeakMap<object, WeakMap<object, readonly Alternative[]>>()

/** The alternatives of a schema; none when nothing can satisfy it. */
export function alternativesOf(schema: JsonSchema, root: JsonSchema): readonly Alternative[] {
  if (typeof schema === 'boolean') return schema ? OPEN : []
  const document = typeof root === 'boolean' ? schema : root
  const known = cacheOf(document)
  const before = known.get(schema)
  if (before) return before
  const alternatives = expand(schema, { root: document, above: new Set(), left: MAX_EXPANSIONS })
  known.set(schema, alternatives)
  return alternatives
}

/** The types a value may have. */
export function acceptedTypes(schema: JsonSchema, root: JsonSchema = schema): Set<TypeName> {
  const types = alternativesOf(schema, root).map(({ type }) => type)
  return new Set(types.includes('any') ? ALL_TYPES : (types as TypeName[]))
}

/** The schema of a declared property; where several alternatives declare it, any of theirs. */
export function propertySchema(
  schema: JsonSchema,
  key: string,
  root: JsonSchema = schema,
): JsonSchema | undefined {
  const found = alternativesOf(schema, root).flatMap(({ properties }) => {
    const property = properties.get(key)
    return property === undefined ? [] : [property]
  })
  const different = [...new Set(found)]
  return different.length > 1 ? { anyOf: different } : different[0]
}

/** Names of the declared properties, the required ones first and in the order of `required`. */
export function propertyOrder(schema: JsonSchema, root: JsonSchema = schema): string[] {
  const alternatives = alternativesOf(schema, root)
  const declared = new Set(alternatives.flatMap(({ properties }) => [...properties.keys()]))
  const required = alternatives.flatMap((alternative) => alternative.required)
  return [...new Set([...required.filter((name) => declared.has(name)), ...declared])]
}

/** The JSON type of a value; undefined for what JSON cannot hold. */
export function typeOf(value: unknown): TypeName | undefined {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return numberType(value)
  const type = typeof value
  return type === 'string' || type === 'boolean' || type === 'object' ? type : undefined
}

function numberType(value: number): TypeName | undefined {
  if (Number.isInteger(value)) return 'integer'
  return Number.isFinite(value) ? 'number' : undefined
}

/** True when a value of type `actual` has type `wanted`. */
export function isOfType(actual: TypeName | undefined, wanted: TypeName | 'any'): boolean {
  if (actual === undefined) return false
  if (actual === wanted || wanted === 'any') return true
  return actual === 'integer' && wanted === 'number'
}

function cacheOf(document: object): WeakMap<object, readonly Alternative[]> {
  const known = compiled.get(document) ?? new WeakMap<object, readonly Alternative[]>()
  compiled.set(document, known)
  return known
}

interface Expansion {
  readonly root: JsonObject
  /** The schemas being expanded: one inside itself says nothing new, so it counts as open. */
  readonly above: Set<object>
  left: number
}

function expand(schema: JsonSchema, state: Expansion): readonly Alternative[] {
  if (typeof schema === 'boolean') return schema ? OPEN : []
  state.left -= 1
  if (state.left < 0 || state.above.has(schema)) return OPEN
  state.above.add(schema)
  let result = ownAlternatives(schema)
  for (const choice of conjuncts(schema, state.root)) {
    const branches = choice.flatMap((branch) => expand(branch, state))
    result = meet(result, branches)
  }
  state.above.delete(schema)
  return schema['nullable'] === true ? orNull(result) : result
}

/** What must hold besides the schema's own keywords; each entry is a choice of schemas. */
function conjuncts(schema: JsonObject, root: JsonObject): JsonSchema[][] {
  const { $ref, allOf, anyOf, oneOf } = schema
  const parts = schemaList(allOf).map((part) => [part])
  if (typeof $ref === 'string') parts.push([findDefinition($ref, root) ?? true])
  for (const choice of [anyOf, oneOf]) {
    if (Array.isArray(choice) && choice.length > 0) parts.push(schemaList(choice))
  }
  return parts
}

/** The target of a local reference. Schemas elsewhere are not fetched. */
function findDefinition(reference: string, root: JsonObject): JsonSchema | undefined {
  if (!reference.startsWith('#')) return undefined
  let target: JsonValue | undefined = root
  for (const step of pointerSteps(reference.slice(1))) {
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, step))
      return undefined
    target = (target as JsonObject)[step] // arrays are indexed by text as well
  }
  return isSchema(target) ? target : undefined
}

function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .filter((step, at) => at > 0 || step !== '')
    .map((step) => decodePercent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function ownAlternatives(schema: JsonObject): readonly Alternative[] {
  const members = readMembers(schema)
  const base = { ...ANY, ...readObjectKeywords(schema), ...readArrayKeywords(schema) }
  return readTypes(schema, members).map((type) => ({
    ...base,
    type,
    members: membersOfType(members, type),
  }))
}

function readMembers(schema: JsonObject): readonly JsonValue[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const'] as JsonValue]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

// Gemini wants the members of an integer enum as text, and nullable enums often leave out null: a
// list without a member of the type says nothing about that type.
function membersOfType(
  members: readonly JsonValue[] | undefined,
  type: TypeName | 'any',
): readonly JsonValue[] | undefined {
  const fitting = members?.filter((member) => isOfType(typeOf(member), type))
  return fitting?.length === 0 ? undefined : fitting
}

function readTypes(
  schema: JsonObject,
  members: readonly JsonValue[] | undefined,
): readonly (TypeName | 'any')[] {
  const { type } = schema
  if (type === undefined || type === null) return inferTypes(schema, members)
  const names = (Array.isArray(type) ? type : [type]).map(readTypeName)
  return names.includes('any') || names.length === 0 ? ['any'] : [...new Set(names)]
}

function readTypeName(name: JsonValue): TypeName | 'any' {
  return (typeof name === 'string' && TYPE_ALIASES.get(name.toLowerCase())) || 'any'
}

/** Many schemas leave out a type that their other keywords make plain. */
function inferTypes(
  schema: JsonObject,
  members: readonly JsonValue[] | undefined,
): readonly (TypeName | 'any')[] {
  if (members) return [...new Set(members.map((member) => typeOf(member) ?? 'any'))]
  if (isJsonObject(schema['properties'])) return ['object']
  return schema['items'] !== undefined || schema['prefixItems'] !== undefined ? ['array'] : ['any']
}

function readObjectKeywords(
  schema: JsonObject,
): Pick<Alternative, 'properties' | 'required' | 'additional' | 'patterned'> {
  const { properties, required, additionalProperties } = schema
  const declared = isJsonObject(properties) ? Object.entries(properties) : []
  return {
    properties: new Map(
      declared.filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])),
    ),
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
    additional: isSchema(additionalProperties) ? additionalProperties : undefined,
    patterned: isJsonObject(schema['patternProperties']),
  }
}

/** `items` was a list before `prefixItems` came, and `additionalItems` its rest. */
function readArrayKeywords(schema: JsonObject): Pick<Alternative, 'prefix' | 'items'> {
  const { items, prefixItems, additionalItems } = schema
  if (Array.isArray(items)) {
    return { prefix: schemaList(items), items: isSchema(additionalItems) ? additionalItems : true }
  }
  return { prefix: schemaList(prefixItems), items: isSchema(items) ? items : true }
}

function meet(left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] {
  if (left.length * right.length > MAX_ALTERNATIVES) return OPEN
  return left.flatMap((one) => right.flatMap((other) => merge(one, other)))
}

function merge(one: Alternative, other: Alternative): Alternative[] {
  if (one === ANY) return [other]
  if (other === ANY) return [one]
  const type = commonType(one.type, other.type)
  const members = commonMembers(one.members, other.members)
  if (type === undefined || members?.length === 0) return []
  return [
    {
      type,
      members: membersOfType(members, type),
      properties: mergeProperties(one.properties, other.properties),
      required: [...new Set([...one.required, ...other.required])],
      additional: mergeOptional(one.additional, other.additional),
      patterned: one.patterned || other.patterned,
      prefix: mergePrefix(one, other),
      items: mergeSchemas(one.items, other.items),
    },
  ]
}

function commonType(one: TypeName | 'any', other: TypeName | 'any'): TypeName | 'any' | undefined {
  if (one === other || other === 'any') return one
  if (one === 'any') return other
  const numeric = new Set([one, other])
  return numeric.has('integer') && numeric.has('number') ? 'integer' : undefined
}

function commonMembers(
  one: readonly JsonValue[] | undefined,
  other: readonly JsonValue[] | undefined,
): readonly JsonValue[] | undefined {
  if (!one || !other) return one ?? other
  return one.filter((member) => other.some((candidate) => equalJson(member, candidate)))
}

function mergeProperties(
  one: ReadonlyMap<string, JsonSchema>,
  other: ReadonlyMap<string, JsonSchema>,
): ReadonlyMap<string, JsonSchema> {
  if (one.size === 0) return other
  const merged = new Map(one)
  for (const [key, schema] of other) {
    merged.set(key, mergeSchemas(merged.get(key) ?? true, schema))
  }
  return merged
}

function mergePrefix(one: Alternative, other: Alternative): readonly JsonSchema[] {
  const length = Math.max(one.prefix.length, other.prefix.length)
  return Array.from({ length }, (_, at) =>
    mergeSchemas(one.prefix[at] ?? one.items, other.prefix[at] ?? other.items),
  )
}

function mergeOptional(
  one: JsonSchema | undefined,
  other: JsonSchema | undefined,
): JsonSchema | undefined {
  return one === undefined || other === undefined ? (one ?? other) : mergeSchemas(one, other)
}

function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (one === true || one === other) return other
  return other === true ? one : { allOf: [one, other] }
}

function orNull(alternatives: readonly Alternative[]): readonly Alternative[] {
  const allowed = alternatives.some(({ type }) => type === 'null' || type === 'any')
  return allowed ? alternatives : [...alternatives, { ...ANY, type: 'null' }]
}

function schemaList(value: JsonValue | undefined): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value)
}

function alias(type: TypeName, ...names: string[]): [string, TypeName][] {
  return names.map((name) => [name, type])
}
