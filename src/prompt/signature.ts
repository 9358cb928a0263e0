/**
 * A JSON Schema on one line, in the notation of TypeScript: what a model needs to know of a tool's
 * parameters when there is no room for the whole schema. Descriptions, formats and bounds are left
 * out; names, optionality, enums, unions and arrays are kept as far as they are short.
 */
import type { JsonSchema } from '../core/model.ts'
import {
  type Alternative,
  alternativesOf,
  propertyOrder,
  propertySchema,
} from '../core/schema/resolve.ts'

/** Longer lists of allowed values are replaced by their type. */
const MAX_LITERALS = 60
/** Longer objects, tuples and unions are replaced by less detailed ones. */
const MAX_TYPE = 120
/** Objects inside a parameter that are spelled out, one inside the other. */
const MAX_DEPTH = 2
/** Schemas inside one another, arrays and unions included, that are looked into. */
const MAX_NESTING = 8
/** Schemas looked at for one parameter: references can make a small schema endlessly wide. */
const MAX_VISITS = 500

/** Where in the schema we are, and how much may still be said. */
interface Place {
  readonly root: JsonSchema
  /** The schemas around this one: meeting one of them again means the type contains itself. */
  readonly above: readonly JsonSchema[]
  /** How many levels of objects may still be spelled out. */
  readonly depth: number
  readonly budget: { visits: number }
}

/**
 * The parameters of a tool: `path: string, depth?: integer`. Required ones come first, each group in
 * alphabetical order; empty when the schema names none.
 */
export function formatParameters(schema: JsonSchema): string {
  const required = requiredByAll(alternativesOf(schema, schema))
  return sortKeys(propertyOrder(schema), required)
    .map((key) => {
      // Every parameter starts afresh, so that none can use up what the others need.
      const place = startPlace(schema)
      return formatMember(key, required.has(key), propertySchema(schema, key) ?? true, place)
    })
    .join(', ')
}

function startPlace(root: JsonSchema): Place {
  return { root, above: [], depth: MAX_DEPTH, budget: { visits: MAX_VISITS } }
}

/** The members of the union a schema describes, such as `string` and `null`; mostly just one. */
function listTypes(schema: JsonSchema, place: Place): readonly string[] {
  const alternatives = alternativesOf(schema, place.root)
  if (alternatives.length === 0) return ['never']
  const names = new Set(alternatives.map(({ type }) => type))
  if (names.has('any')) return ['any']
  place.budget.visits -= 1
  if (place.budget.visits < 0 || isTooDeep(schema, place)) return [...names]
  const inside = { ...place, above: [...place.above, schema] }
  return takeShort(eachType(alternatives, inside), '|', MAX_TYPE) ?? [...names]
}

function isTooDeep(schema: JsonSchema, { above }: Place): boolean {
  return above.length >= MAX_NESTING || above.includes(schema)
}

function* eachType(alternatives: readonly Alternative[], place: Place): Generator<string> {
  const members = alternatives.flatMap((alternative) => alternative.members ?? [])
  const short = takeShort(members.map(writeLiteral), '|', MAX_LITERALS) !== undefined
  for (const alternative of alternatives) {
    if (short && alternative.members) yield* alternative.members.map(writeLiteral)
    else if (alternative.type === 'array') yield formatArray(alternative, place)
    else if (alternative.type === 'object') yield formatObject(alternative, place)
    else yield alternative.type
  }
}

function writeLiteral(value: unknown): string {
  return JSON.stringify(value)
}

function formatArray({ prefix, items }: Alternative, place: Place): string {
  if (prefix.length > 0) return formatTuple(prefix, place)
  const types = listTypes(items, place)
  if (types.includes('any')) return 'array'
  return types.length > 1 ? `(${types.join('|')})[]` : `${types.join()}[]`
}

function formatTuple(schemas: readonly JsonSchema[], place: Place): string {
  // No item takes less than a character, a comma and a space.
  if (schemas.length * 3 > MAX_TYPE) return 'array'
  const text = schemas.map((schema) => listTypes(schema, place).join('|')).join(', ')
  return text.length + 2 <= MAX_TYPE ? `[${text}]` : 'array'
}

function formatObject(alternative: Alternative, place: Place): string {
  // What is too long with its inner objects spelled out may be short enough without.
  for (let depth = place.depth - 1; depth >= 0; depth--) {
    const members = takeShort(eachMember(alternative, { ...place, depth }), ', ', MAX_TYPE - 2)
    if (members) return members.length > 0 ? `{${members.join(', ')}}` : 'object'
  }
  return 'object'
}

function* eachMember(alternative: Alternative, place: Place): Generator<string> {
  const { properties, additional = true } = alternative
  const required = new Set(alternative.required)
  for (const key of sortKeys(properties.keys(), required)) {
    yield formatMember(key, required.has(key), properties.get(key) ?? true, place)
  }
  const others = typeof additional === 'boolean' ? ['any'] : listTypes(additional, place)
  if (!others.includes('any')) yield `[key: string]: ${others.join('|')}`
}

function formatMember(key: string, required: boolean, schema: JsonSchema, place: Place): string {
  const label = /^[\p{L}\p{N}_$@.-]+$/u.test(key) ? key : JSON.stringify(key)
  return `${label}${required ? '' : '?'}: ${listTypes(schema, place).join('|')}`
}

/** By code unit, not by locale: a prompt must not depend on the machine it is made on. */
function sortKeys(keys: Iterable<string>, required: ReadonlySet<string>): string[] {
  const sorted = [...keys].sort()
  return [
    ...sorted.filter((key) => required.has(key)),
    ...sorted.filter((key) => !required.has(key)),
  ]
}

function requiredByAll(alternatives: readonly Alternative[]): ReadonlySet<string> {
  const [first, ...others] = alternatives
  const lists = others.map(({ required }) => new Set(required))
  const everywhere = first?.required.filter((key) => lists.every((names) => names.has(key)))
  return new Set(everywhere)
}

/** The distinct texts, or undefined as soon as they are too long to be joined. */
function takeShort(texts: Iterable<string>, separator: string, max: number): string[] | undefined {
  const taken = new Set<string>()
  let length = -separator.length
  for (const text of texts) {
    if (taken.has(text)) continue
    length += separator.length + text.length
    if (length > max) return undefined
    taken.add(text)
  }
  return [...taken]
}
