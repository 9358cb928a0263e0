/**
 * What the keywords of a schema ask of a value, one after another and only as far as somebody asks:
 * either that a value in it fits another schema, or what is wrong already. Keywords that nobody here
 * knows ask nothing.
 */
import type { JsonPath } from '../issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { remembering } from '../remember.ts'
import { equalJson } from './equal.ts'
import { clip, describe, type Flaw, listOf, write } from './flaw.ts'
import { canonicalText } from './json-text.ts'
import { membersOf } from './members.ts'
import { isMultipleOf } from './multiple.ts'
import { nearestFlaws } from './nearest-form.ts'
import type { Patterns } from './pattern.ts'
import { isOfType, isSchema, readTypeName, schemaList, type TypeName, typeOf } from './resolve.ts'

export type Demand = Fit | Flawed | typeof UNKNOWN

/** The value, or the part of it behind `step`, must fit the schema. */
interface Fit {
  readonly value: JsonValue
  readonly schema: JsonSchema
  readonly step?: string | number
}

/** A function, because words are needed only for the one reading that is reported in the end. */
interface Flawed {
  readonly flaws: () => readonly Flaw[]
}

/** Whether a keyword is content cannot be found out. */
const UNKNOWN = { unknown: true } as const

/** What keywords need to know of the whole. */
export interface Inspection {
  readonly patterns: Patterns
  /** Where a `$ref` leads. */
  definition(reference: string): JsonSchema
  /** Undefined when that cannot be found out. */
  holds(value: JsonValue, schema: JsonSchema): boolean | undefined
  explain(value: JsonValue, schema: JsonSchema): readonly Flaw[]
  /** Counts work that grows with the value; throws when it is too much. */
  spend(steps: number): void
}

/** Characters that are counted in the time that everything else takes for one value. */
const CHARACTERS_PER_STEP = 16

type Noun = readonly [one: string, many: string]

const CHARACTERS: Noun = ['character', 'characters']
const ITEMS: Noun = ['item', 'items']
const CONTAINED: Noun = ['item of a certain form', 'items of a certain form']
const PROPERTIES: Noun = ['property', 'properties']

export function* demandsOf(
  value: JsonValue,
  schema: JsonSchema,
  inspection: Inspection,
): Generator<Demand, void> {
  if (schema === true) return
  if (schema === false) return yield flaw('is not allowed')
  // In OpenAPI the word is about the whole schema, whatever else it says.
  if (value === null && schema['nullable'] === true) return
  yield* typeDemands(value, schema)
  yield* memberDemands(value, schema)
  if (typeof value === 'number') yield* numberDemands(value, schema)
  else if (typeof value === 'string') yield* textDemands(value, schema, inspection)
  else if (Array.isArray(value)) yield* arrayDemands(value, schema, inspection)
  else if (isJsonObject(value)) yield* objectDemands(value, schema, inspection)
  yield* combinedDemands(value, schema, inspection)
}

function flaw(
  message: string | (() => string),
  path: JsonPath = [],
  kind?: 'type' | 'member',
): Flawed {
  const text = typeof message === 'string' ? () => message : message
  return { flaws: () => [{ path, message: text(), ...(kind && { kind }) }] }
}

function* typeDemands(value: JsonValue, { type }: JsonObject): Generator<Demand> {
  const types = typeNames(type)
  const actual = typeOf(value)
  if (types.length === 0 || types.some((name) => isOfType(actual, name))) return
  yield flaw(`must be ${types.join(' or ')}, got ${describe(value)}`, [], 'type')
}

/** The types that are named; none when any will do. */
function typeNames(type: JsonValue | undefined): readonly (TypeName | 'any')[] {
  if (type === undefined || type === null) return []
  return Array.isArray(type) ? namesIn(type) : readNames([type])
}

function readNames(types: readonly JsonValue[]): readonly (TypeName | 'any')[] {
  const names = new Set(types.map(readTypeName))
  return names.has('any') ? [] : [...names]
}

const namesIn = remembering(readNames)

function* memberDemands(value: JsonValue, schema: JsonObject): Generator<Demand> {
  const { enum: members } = schema
  if (Object.hasOwn(schema, 'const') && !equalJson(value, schema['const'])) {
    const expected = write(schema['const'])
    yield flaw(`must be ${expected}, got ${describe(value)}`, [], 'member')
  }
  if (Array.isArray(members) && !isMember(value, members, schema)) {
    const shown = () => listOf(members.map(write))
    yield flaw(() => `is not one of ${shown()}; got ${describe(value)}`, [], 'member')
  }
}

// Some providers want the members of an integer enum as text; then no member has the type, and it is
// the text that must agree.
function isMember(value: JsonValue, members: readonly JsonValue[], schema: JsonObject): boolean {
  const { has } = membersOf(members)
  if (has(value)) return true
  const types = typeNames(schema['type'])
  if (types.length === 0 || types.includes('string') || typeof value === 'object') return false
  return has(String(value)) && members.every((member) => typeof member === 'string')
}

function* numberDemands(value: number, schema: JsonObject): Generator<Demand> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  // Before draft 6 the exclusive ones were a yes or no to the others.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum
  if (isNumber(minimum) && value < minimum) yield flaw(`must be at least ${minimum}, got ${value}`)
  if (isNumber(maximum) && value > maximum) yield flaw(`must be at most ${maximum}, got ${value}`)
  if (isNumber(above) && value <= above) yield flaw(`must be greater than ${above}, got ${value}`)
  if (isNumber(below) && value >= below) yield flaw(`must be less than ${below}, got ${value}`)
  if (isNumber(multipleOf) && !isMultipleOf(value, multipleOf)) {
    yield flaw(`must be a multiple of ${multipleOf}, got ${value}`)
  }
}

function* textDemands(
  value: string,
  { minLength, maxLength, pattern }: JsonObject,
  { patterns, spend }: Inspection,
): Generator<Demand> {
  if (minLength !== undefined || maxLength !== undefined) {
    spend(value.length / CHARACTERS_PER_STEP)
    yield* sizeDemands(countCharacters(value), minLength, maxLength, CHARACTERS)
  }
  if (typeof pattern !== 'string') return
  const isMatch = patterns.match(pattern, value)
  if (isMatch === undefined) yield UNKNOWN
  else if (!isMatch) yield flaw(`must match the pattern ${clip(pattern)}, got ${describe(value)}`)
}

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function* sizeDemands(
  size: number,
  least: JsonValue | undefined,
  most: JsonValue | undefined,
  what: Noun,
): Generator<Demand> {
  if (isNumber(least) && size < least) {
    yield flaw(`must have at least ${amount(least, what)}, has ${size}`)
  }
  if (isNumber(most) && size > most) {
    yield flaw(`must have at most ${amount(most, what)}, has ${size}`)
  }
}

function* arrayDemands(
  items: readonly JsonValue[],
  schema: JsonObject,
  inspection: Inspection,
): Generator<Demand> {
  yield* sizeDemands(items.length, schema['minItems'], schema['maxItems'], ITEMS)
  if (schema['uniqueItems'] === true) yield* uniqueDemands(items, inspection)
  yield* containsDemands(items, schema, inspection)
  // Up to draft 7 a list under `items` was what `prefixItems` is now.
  const isTuple = Array.isArray(schema['items'])
  const prefix = isTuple ? schema['items'] : schema['prefixItems']
  const first = Array.isArray(prefix) ? prefix : []
  const rest = isTuple ? schema['additionalItems'] : schema['items']
  const end = isSchema(rest) && rest !== true ? items.length : Math.min(items.length, first.length)
  for (let step = 0; step < end; step++) {
    const item = step < first.length ? first[step] : rest
    if (isSchema(item)) yield { value: items[step] as JsonValue, schema: item, step }
  }
}

function* uniqueDemands(items: readonly JsonValue[], { spend }: Inspection): Generator<Demand> {
  const seen = new Map<string | undefined, number>()
  for (const [at, item] of items.entries()) {
    const key = canonicalText(item)
    spend(1 + (key?.length ?? 0) / CHARACTERS_PER_STEP)
    const before = seen.get(key)
    if (before === undefined) seen.set(key, at)
    else yield flaw(`is the same as item ${before}, and items must differ`, [at])
  }
}

function* containsDemands(
  items: readonly JsonValue[],
  { contains, minContains, maxContains }: JsonObject,
  { holds }: Inspection,
): Generator<Demand> {
  if (!isSchema(contains)) return
  const least = isNumber(minContains) ? minContains : 1
  const answers = items.map((item) => holds(item, contains))
  const fitting = answers.filter((answer) => answer === true).length
  const possible = answers.filter((answer) => answer !== false).length
  yield* sizeDemands(possible, least, undefined, CONTAINED)
  yield* sizeDemands(fitting, undefined, maxContains, CONTAINED)
  if (fitting < possible) yield UNKNOWN
}

function* objectDemands(
  object: JsonObject,
  schema: JsonObject,
  inspection: Inspection,
): Generator<Demand> {
  const { required, minProperties, maxProperties } = schema
  yield* requiredDemands(object, required)
  yield* dependentDemands(object, schema)
  yield* keyDemands(object, schema, inspection)
  if (minProperties !== undefined || maxProperties !== undefined) {
    yield* sizeDemands(Object.keys(object).length, minProperties, maxProperties, PROPERTIES)
  }
}

function* requiredDemands(object: JsonObject, names: JsonValue | undefined): Generator<Demand> {
  for (const name of Array.isArray(names) ? names : []) {
    if (typeof name === 'string' && !Object.hasOwn(object, name)) yield flaw('is required', [name])
  }
}

/** Up to draft 7 `dependencies` said what two keywords say now. */
function* dependentDemands(object: JsonObject, schema: JsonObject): Generator<Demand> {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const dependencies = schema[keyword]
    if (!isJsonObject(dependencies)) continue
    for (const key of Object.keys(object)) {
      const dependency = Object.hasOwn(dependencies, key) ? dependencies[key] : undefined
      if (Array.isArray(dependency)) yield* requiredDemands(object, dependency)
      else if (isSchema(dependency)) yield { value: object, schema: dependency }
    }
  }
}

function* keyDemands(
  object: JsonObject,
  schema: JsonObject,
  inspection: Inspection,
): Generator<Demand> {
  const { propertyNames, additionalProperties } = schema
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : NO_PROPERTIES
  const patterns = patternsOf(schema)
  const names = namesOf(properties)
  const entries = Object.entries(object)
  inspection.spend(entries.length)
  for (const [step, value] of entries) {
    if (isSchema(propertyNames)) yield* nameDemands(step, propertyNames, inspection)
    // Once nothing is left for patterns, those are not gone through for each key.
    if (patterns.length > 0 && inspection.patterns.isSpent) return yield UNKNOWN
    const declared = Object.hasOwn(properties, step) ? [properties[step]] : []
    const answers = patterns.map(([pattern]) => inspection.patterns.match(pattern, step))
    const matching = patterns.filter((_, at) => answers[at] === true)
    const schemas = [...declared, ...matching.map(([, patterned]) => patterned)]
    for (const one of schemas) if (isSchema(one)) yield { value, schema: one, step }
    if (answers.includes(undefined)) yield UNKNOWN
    else if (schemas.length > 0) continue
    else if (additionalProperties === false) yield unknownKey(step, names)
    else if (isSchema(additionalProperties)) yield { value, schema: additionalProperties, step }
  }
}

const NO_PROPERTIES: JsonObject = {}
const patternsOf = remembering(({ patternProperties }: JsonObject) => entriesOf(patternProperties))
const namesOf = remembering((object: JsonObject) => Object.keys(object))

function* nameDemands(
  name: string,
  schema: JsonSchema,
  { holds, explain }: Inspection,
): Generator<Demand> {
  const isFit = holds(name, schema)
  if (isFit === undefined) yield UNKNOWN
  if (isFit !== false) return
  yield {
    flaws: () => {
      const reasons = explain(name, schema).map(({ message }) => message)
      return [{ path: [name], message: `is no allowed name of a property: ${reasons.join('; ')}` }]
    },
  }
}

function unknownKey(key: string, known: readonly string[]): Demand {
  const others = () => (known.length > 0 ? `known are: ${listOf(known)}` : 'there are none')
  return flaw(() => `is not a known property; ${others()}`, [key])
}

/** Keywords about the whole value, whatever it is. */
function* combinedDemands(
  value: JsonValue,
  schema: JsonObject,
  inspection: Inspection,
): Generator<Demand> {
  const { $ref, allOf, anyOf, oneOf, not, if: condition } = schema
  const { holds } = inspection
  if (typeof $ref === 'string') {
    yield { value, schema: inspection.definition($ref) }
  }
  for (const part of schemaList(allOf)) yield { value, schema: part }
  yield* choiceDemands(value, schemaList(anyOf), inspection)
  yield* choiceDemands(value, schemaList(oneOf), inspection)
  yield* onlyOneDemands(value, schemaList(oneOf), inspection)
  if (isSchema(not)) yield* notDemands(value, not, inspection)
  if (!isSchema(condition)) return
  const isCase = holds(value, condition)
  if (isCase === undefined) return yield UNKNOWN
  const consequence = isCase ? schema['then'] : schema['else']
  if (isSchema(consequence)) yield { value, schema: consequence }
}

function* choiceDemands(
  value: JsonValue,
  forms: readonly JsonSchema[],
  { holds, explain }: Inspection,
): Generator<Demand> {
  if (forms.length === 0) return
  const answers = new Set(forms.map((form) => holds(value, form)))
  if (answers.has(true)) return
  if (answers.has(undefined)) return yield UNKNOWN
  yield {
    flaws: () =>
      nearestFlaws(
        value,
        forms.map((form) => explain(value, form)),
      ),
  }
}

function* onlyOneDemands(
  value: JsonValue,
  forms: readonly JsonSchema[],
  { holds }: Inspection,
): Generator<Demand> {
  const answers = forms.map((form) => holds(value, form))
  const fitting = answers.filter((answer) => answer === true).length
  if (fitting > 1) yield flaw(`fits ${fitting} of several forms, and must fit exactly one`)
  else if (answers.includes(undefined)) yield UNKNOWN
}

function* notDemands(
  value: JsonValue,
  schema: JsonSchema,
  { holds }: Inspection,
): Generator<Demand> {
  const isFit = holds(value, schema)
  if (isFit === true) yield flaw('has a form that is not allowed')
  else if (isFit === undefined) yield UNKNOWN
}

function entriesOf(value: JsonValue | undefined): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : []
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number'
}

function amount(count: number, [one, many]: Noun): string {
  return `${count} ${count === 1 ? one : many}`
}
