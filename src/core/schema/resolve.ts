/**
 * Reads the part of JSON Schema that coercion needs and brings it into one form: a schema is a list
 * of alternatives, each with one type. `$ref` is followed, `allOf` merged, `anyOf`, `oneOf` and type
 * lists spread out. Keywords that only narrow a value (`minimum`, `pattern` …) are left to validators.
 */
import type { JsonObject, JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { remembering } from '../remember.ts'
import { membersOf } from './members.ts'
import type { Patterns } from './pattern.ts'

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** One way a value can satisfy a schema. */
export interface Alternative extends Kind, Keywords {}

/** The type of a value, and from `enum` and `const` the only values allowed. */
interface Kind {
  readonly type: TypeName | 'any'
  readonly members: readonly JsonValue[] | undefined
}

/** What is said of the inside of a value. */
interface Keywords {
  readonly properties: ReadonlyMap<string, JsonSchema>
  readonly required: readonly string[]
  /** The schema of keys that are not declared; undefined when the schema does not mention them. */
  readonly additional: JsonSchema | undefined
  /** What is said of keys by how they are spelled: regular expressions. */
  readonly patterns: readonly (readonly [key: string, schema: JsonValue])[]
  readonly prefix: readonly JsonSchema[]
  readonly items: JsonSchema
}

/** An alternative whose keywords are not merged yet: they are those of all its parts. */
interface Draft extends Kind {
  readonly parts: readonly JsonObject[]
}

/** More alternatives than this say too little to coerce by; the schema then counts as open. */
const MAX_ALTERNATIVES = 64

/** Schemas looked at for one list of alternatives: definitions that refer to each other can double. */
const MAX_EXPANSIONS = 2000

/** Schemas and references inside one another; more would use up the stack. */
const MAX_ABOVE = 200

/** What people write for a type, in lower case. */
const TYPE_WORDS: Readonly<Record<TypeName, RegExp>> = {
  null: /^(null|none|nil)$/,
  boolean: /^bool(ean)?$/,
  integer: /^(u?int(8|16|32|64|eger)?|bigint|long|short)$/,
  number: /^(num(ber)?|float(32|64)?|double|decimal)$/,
  string: /^(str(ing)?|text|(var)?char|enum)$/,
  array: /^(arr(ay)?|list|tuple)$/,
  object: /^(object|dict(ionary)?|map|record)$/,
}

// The cast: Object.keys does not know the keys of its argument.
const ALL_TYPES = Object.keys(TYPE_WORDS) as TypeName[]

const OPEN: readonly Draft[] = [{ type: 'any', members: undefined, parts: [] }]

// By root first, because a `$ref` in a subschema means what the document around it says.
const compiledIn = remembering((root: JsonObject) =>
  remembering((schema: JsonObject): readonly Alternative[] =>
    expand(schema, { root, above: new Set(), left: MAX_EXPANSIONS }).map(complete),
  ),
)

/** The alternatives of a schema; none when nothing can satisfy it. */
export function alternativesOf(schema: JsonSchema, root: JsonSchema): readonly Alternative[] {
  if (typeof schema === 'boolean') return schema ? OPEN_ALTERNATIVES : []
  return compiledIn(typeof root === 'boolean' ? schema : root)(schema)
}

/** The schema of a declared property; where several alternatives declare it, any of theirs. */
export function propertySchema(
  schema: JsonSchema,
  key: string,
  root: JsonSchema = schema,
): JsonSchema | undefined {
  return anyOf(alternativesOf(schema, root).map(({ properties }) => properties.get(key)))
}

/** The schema that is satisfied by what satisfies one of these; undefined when there are none. */
export function anyOf(schemas: readonly (JsonSchema | undefined)[]): JsonSchema | undefined {
  const different = [...new Set(schemas.filter((schema) => schema !== undefined))]
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
  if (Number.isInteger(value)) return 'integer'
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : undefined
  const type = typeof value
  return type === 'string' || type === 'boolean' || type === 'object' ? type : undefined
}

/** True when a value of type `actual` has type `wanted`. */
export function isOfType(actual: TypeName | 'any' | undefined, wanted: TypeName | 'any'): boolean {
  if (actual === undefined) return false
  if (actual === wanted || wanted === 'any') return true
  return actual === 'integer' && wanted === 'number'
}

interface Expansion {
  readonly root: JsonObject
  /** The schemas being expanded: one inside itself says nothing new, so it counts as open. */
  readonly above: Set<object>
  left: number
}

function expand(schema: JsonSchema, state: Expansion): readonly Draft[] {
  if (typeof schema === 'boolean') return schema ? OPEN : []
  state.left -= 1
  if (state.left < 0 || state.above.size >= MAX_ABOVE || state.above.has(schema)) return OPEN
  state.above.add(schema)
  let drafts = ownDrafts(schema)
  for (const choice of conjuncts(schema, state.root)) {
    const branches = choice.flatMap((branch) => expand(branch, state))
    drafts =
      drafts.length * branches.length > MAX_ALTERNATIVES
        ? OPEN
        : drafts.flatMap((one) => branches.flatMap((other) => merge(one, other)))
  }
  state.above.delete(schema)
  if (schema['nullable'] !== true || drafts.some(({ type }) => isOfType('null', type))) {
    return drafts
  }
  return [...drafts, { type: 'null', members: undefined, parts: [] }]
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
export function findDefinition(reference: string, root: JsonObject): JsonSchema | undefined {
  const [start, ...steps] = decodePercent(reference).split('/')
  if (start !== '#') return undefined
  let target: JsonValue | undefined = root
  for (const step of steps) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) {
      return undefined
    }
    target = (target as JsonObject)[key] // arrays are indexed by text as well
  }
  return isSchema(target) ? target : undefined
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function ownDrafts(schema: JsonObject): readonly Draft[] {
  const members = readMembers(schema)
  return readTypes(schema, members).map((type) => ({
    type,
    members: membersOfType(members, type),
    parts: [schema],
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

/** Many schemas leave out a type that their other keywords make plain. */
function readTypes(
  schema: JsonObject,
  members: readonly JsonValue[] | undefined,
): readonly (TypeName | 'any')[] {
  const { type, properties, items, prefixItems } = schema
  if (type !== undefined && type !== null) {
    const names = (Array.isArray(type) ? type : [type]).map(readTypeName)
    return names.includes('any') || names.length === 0 ? ['any'] : [...new Set(names)]
  }
  if (members) return [...new Set(members.map((member) => typeOf(member) ?? 'any'))]
  if (isJsonObject(properties)) return ['object']
  return [items === undefined && prefixItems === undefined ? 'any' : 'array']
}

/** What is meant by the name of a type. */
export function readTypeName(name: JsonValue): TypeName | 'any' {
  const word = typeof name === 'string' ? name.toLowerCase() : ''
  return ALL_TYPES.find((type) => TYPE_WORDS[type].test(word)) ?? 'any'
}

function merge(one: Draft, other: Draft): Draft[] {
  const type = [one.type, other.type].find(
    (type) => isOfType(type, one.type) && isOfType(type, other.type),
  )
  const members = commonMembers(one.members, other.members)
  if (type === undefined || members?.length === 0) return []
  return [{ type, members: membersOfType(members, type), parts: [...one.parts, ...other.parts] }]
}

function commonMembers(
  one: readonly JsonValue[] | undefined,
  other: readonly JsonValue[] | undefined,
): readonly JsonValue[] | undefined {
  if (!one || !other) return one ?? other
  const { has } = membersOf(other)
  return one.filter(has)
}

function complete({ type, members, parts }: Draft): Alternative {
  const properties = new Map<string, JsonSchema[]>()
  const required = new Set<string>()
  const patterns = parts.flatMap((part) => Object.entries(part['patternProperties'] ?? {}))
  const additional: JsonSchema[] = []
  const items: JsonSchema[] = []
  let prefix: readonly JsonSchema[] = []
  for (const part of parts) {
    for (const [key, schema] of Object.entries(part['properties'] ?? {})) {
      if (!isSchema(schema)) continue
      const known = properties.get(key)
      if (known) known.push(schema)
      else properties.set(key, [schema])
    }
    for (const name of listOf(part['required'])) if (typeof name === 'string') required.add(name)
    const { additionalProperties } = part
    if (isSchema(additionalProperties)) additional.push(additionalProperties)
    // `items` was a list before `prefixItems` came.
    const first = schemaList(Array.isArray(part['items']) ? part['items'] : part['prefixItems'])
    if (first.length > 0) prefix = first
    if (isSchema(part['items'])) items.push(part['items'])
  }
  return {
    type,
    members,
    properties: new Map([...properties].map(([key, schemas]) => [key, allOf(schemas)])),
    required: [...required],
    additional: additional.length > 0 ? allOf(additional) : undefined,
    patterns,
    prefix,
    items: allOf(items),
  }
}

/** What is said of a key that is not declared, beside that it may not be there. */
export function undeclared(
  key: string,
  { patterns, additional }: Alternative,
  known: Patterns,
): JsonSchema | undefined {
  if (patterns.length > 0 && known.isSpent) return true
  const said = patterns.flatMap(([source, schema]) => saidBy(known.match(source, key), schema))
  return said.length > 0 ? allOf(said) : additional || undefined
}

/** What cannot be tried may speak for any key, so that those are not ours to judge. */
function saidBy(isMatch: boolean | undefined, schema: JsonValue): readonly JsonSchema[] {
  if (isMatch === undefined || !isSchema(schema)) return [true]
  return isMatch ? [schema] : []
}

/** The schema that is satisfied by what satisfies all of these; true when there are none. */
function allOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only = true, ...others] = new Set(schemas.filter((schema) => schema !== true))
  return others.length === 0 ? only : { allOf: [only, ...others] }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

export function schemaList(value: JsonValue | undefined): JsonSchema[] {
  return listOf(value).filter(isSchema)
}

export function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value)
}

const OPEN_ALTERNATIVES: readonly Alternative[] = OPEN.map(complete)
