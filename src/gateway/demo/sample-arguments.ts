/** Arguments for a tool, made up from its schema: always the same for the same schema. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { JsonSchema } from '../../core/model.ts'
import { createPatterns, type Patterns } from '../../core/schema/pattern.ts'
import {
  findDefinition,
  isSchema,
  readTypeName,
  schemaList,
  type TypeName,
} from '../../core/schema/resolve.ts'
import { validate } from '../../core/schema/validate.ts'
import {
  ANY_NUMBER,
  ANY_TEXT,
  NUMBER_BY_NAME,
  type Pair,
  TEXT_BY_FORMAT,
  TEXT_BY_NAME,
  TEXT_FOR_PATTERNS,
  wordsOf,
} from './sample-words.ts'

export type Given = (name: string, schema: JsonObject, isRequired: boolean) => JsonValue | undefined

export interface SampleOptions {
  /** 0, or 1 for other values than the first time, where the schema has room for them. */
  readonly take?: 0 | 1
  /** Texts to use first, in order, for arguments that may be any text. Those used are taken out. */
  readonly texts?: string[]
  /**
   * The value of an argument that the request gives, if it gives one. Arguments that are not required are left out
   * otherwise: what they switch on is seldom wanted.
   */
  readonly given?: Given | undefined
  /** True: texts are also for arguments that are not required. */
  readonly fillsOptional?: boolean
}

/** Schemas may contain themselves. */
const DEEPEST = 8
/** Schemas looked at for one sample; those of strangers can double with every step. */
const MAX_STEPS = 2000
const MAX_ITEMS = 5
const MAX_TEXT = 2000

export function sampleArguments(
  schema: JsonSchema,
  { take = 0, texts = [], given, fillsOptional = false }: SampleOptions = {},
): JsonObject {
  const root = isJsonObject(schema) ? schema : {}
  const source = { root, left: MAX_STEPS, patterns: createPatterns() }
  const place = { source, take, texts, depth: 0 }
  return sampleObject(flatten(schema, source), place, { given, fillsOptional })
}

interface Source {
  readonly root: JsonObject
  /** Steps. */
  left: number
  readonly patterns: Patterns
}

interface Place {
  readonly source: Source
  readonly take: number
  readonly texts: string[]
  readonly depth: number
}

/** The keywords that count: references followed, parts merged, of several forms the first that is not null. */
function flatten(schema: JsonSchema, source: Source, depth = 0): JsonObject {
  if (typeof schema === 'boolean' || depth > DEEPEST || source.left-- <= 0) return {}
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  const parts = [
    ...(typeof $ref === 'string' ? [findDefinition($ref, source.root) ?? true] : []),
    ...schemaList(allOf),
    ...[anyOf, oneOf].flatMap((forms) => firstForm(schemaList(forms))),
  ]
  return parts.map((part) => flatten(part, source, depth + 1)).reduce(merge, own)
}

function firstForm(forms: readonly JsonSchema[]): readonly JsonSchema[] {
  const form = forms.find((one) => !isJsonObject(one) || !isNull(one)) ?? forms[0]
  return form === undefined ? [] : [form]
}

function isNull({ type, const: only }: JsonObject): boolean {
  return type === 'null' || only === null
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const required = [...listOf(one['required']), ...listOf(other['required'])]
  return {
    ...other,
    ...one,
    ...(required.length > 0 && { required }),
    ...(isJsonObject(other['properties']) && {
      properties: { ...other['properties'], ...objectOf(one['properties']) },
    }),
  }
}

function sample(schema: JsonSchema, name: string, place: Place): JsonValue {
  const flat = flatten(schema, place.source)
  if (Object.hasOwn(flat, 'const')) return flat['const'] ?? null
  const type = typeIn(flat)
  const told = membersIn(flat)
  if (told.length > 0) return told[place.take] ?? told[0] ?? null
  const said = type === 'string' ? takeText(flat, place) : undefined
  if (said !== undefined) return said
  const given = givenIn(flat)
  return given.length > 0 ? (given[place.take] ?? given[0] ?? null) : make(type, flat, name, place)
}

function make(type: TypeName | 'any', flat: JsonObject, name: string, place: Place): JsonValue {
  switch (type) {
    case 'object':
      return sampleObject(flat, place)
    case 'array':
      return sampleArray(flat, name, place)
    case 'boolean':
      // What flags switch on is not always harmless.
      return false
    case 'integer':
    case 'number':
      return sampleNumber(
        flat,
        type,
        pick(NUMBER_BY_NAME, name, ANY_NUMBER)[place.take] ?? 0,
        place,
      )
    case 'null':
      return null
    default:
      return sampleText(flat, name, place)
  }
}

function membersIn({ enum: members }: JsonObject): readonly JsonValue[] {
  const list = listOf(members)
  const useful = list.filter((member) => member !== null)
  return useful.length > 0 ? useful : list
}

/** What the author of the schema wrote as a value. */
function givenIn(flat: JsonObject): readonly JsonValue[] {
  const { default: usual, examples, example } = flat
  const shown = [...listOf(examples), ...(example === undefined ? [] : [example])]
  return [...shown, ...(usual === undefined || usual === null ? [] : [usual])]
}

function typeIn(flat: JsonObject): TypeName | 'any' {
  const { type, properties, items, prefixItems } = flat
  const names = (Array.isArray(type) ? type : type === undefined ? [] : [type]).map(readTypeName)
  const [first] = [...names.filter((name) => name !== 'null'), ...names]
  if (first !== undefined) return first
  if (isJsonObject(properties)) return 'object'
  return items === undefined && prefixItems === undefined ? 'string' : 'array'
}

type Wanted = Pick<SampleOptions, 'given' | 'fillsOptional'>

function sampleObject(flat: JsonObject, place: Place, wanted: Wanted = {}): JsonObject {
  if (place.depth >= DEEPEST) return {}
  const properties = objectOf(flat['properties'])
  const required = new Set(listOf(flat['required']))
  const inside = { ...place, depth: place.depth + 1 }
  const values = Object.entries(properties).map(([name, own]) => {
    const schema = isSchema(own) ? own : true
    const isRequired = required.has(name)
    const value =
      givenValue(schema, name, isRequired, inside, wanted) ??
      (isRequired ? sample(schema, name, inside) : undefined)
    return [name, value] as const
  })
  return Object.fromEntries(
    values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function givenValue(
  schema: JsonSchema,
  name: string,
  isRequired: boolean,
  place: Place,
  { given, fillsOptional }: Wanted,
): JsonValue | undefined {
  if (!given && !fillsOptional) return undefined
  const flat = flatten(schema, place.source)
  const value = given?.(name, flat, isRequired)
  if (value !== undefined && isValid(value, flat, place)) return value
  if (isRequired || !fillsOptional || typeIn(flat) !== 'string') return undefined
  return membersIn(flat).length > 0 ? undefined : takeText(flat, place)
}

function sampleArray(flat: JsonObject, name: string, place: Place): JsonValue[] {
  const { items, prefixItems, minItems, maxItems } = flat
  if (place.depth >= DEEPEST) return []
  const first = schemaList(Array.isArray(items) ? items : prefixItems)
  const most = Math.min(numberOf(maxItems) ?? MAX_ITEMS, MAX_ITEMS)
  const length = Math.min(Math.max(numberOf(minItems) ?? 1, first.length), most)
  // A name for many, such as `cities`, says what one of them is.
  const one = name.replace(/ies$/, 'y').replace(/s$/, '')
  return Array.from({ length }, (_, at) => {
    const schema = first[at] ?? (isSchema(items) ? items : true)
    return sample(schema, one, { ...place, depth: place.depth + 1, take: (place.take + at) % 2 })
  })
}

function sampleNumber(
  flat: JsonObject,
  type: 'integer' | 'number',
  wanted: number,
  place: Place,
): number {
  const step = numberOf(flat['multipleOf']) ?? (type === 'integer' ? 1 : 0)
  const low = numberOf(flat['minimum']) ?? numberOf(flat['exclusiveMinimum'])
  const high = numberOf(flat['maximum']) ?? numberOf(flat['exclusiveMaximum'])
  const near = [low, high].flatMap((end) => (end === undefined ? [] : [end, end + 1, end - 1]))
  const middle = low === undefined || high === undefined ? [] : [(low + high) / 2]
  const candidates = [wanted, ...middle, ...near].map((value) => roundTo(step, value))
  return candidates.find((value) => isValid(value, flat, place)) ?? wanted
}

function roundTo(step: number, value: number): number {
  return step > 0 ? Math.round(value / step) * step : value
}

function sampleText(flat: JsonObject, name: string, place: Place): string {
  const { format, minLength, maxLength } = flat
  const known = typeof format === 'string' && Object.hasOwn(TEXT_BY_FORMAT, format)
  const pair = (known && TEXT_BY_FORMAT[format]) || pick(TEXT_BY_NAME, name, ANY_TEXT)
  const text = (pair[place.take] ?? pair[0])
    .padEnd(Math.min(numberOf(minLength) ?? 0, MAX_TEXT), 'x')
    .slice(0, numberOf(maxLength))
  return [text, ...TEXT_FOR_PATTERNS].find((one) => isValid(one, flat, place)) ?? text
}

/** A text that was asked for, unless only a certain kind of text will do. */
function takeText(flat: JsonObject, place: Place): string | undefined {
  const { format, pattern } = flat
  if (format !== undefined || pattern !== undefined) return undefined
  const at = place.texts.findIndex((text) => isValid(text, flat, place))
  return at === -1 ? undefined : place.texts.splice(at, 1)[0]
}

function isValid(value: JsonValue, flat: JsonObject, { source }: Place): boolean {
  return validate(value, flat, source.patterns).length === 0
}

function pick<T>(
  table: readonly (readonly [RegExp, Pair<T>])[],
  name: string,
  otherwise: Pair<T>,
): Pair<T> {
  const words = wordsOf(name)
  return table.find(([expression]) => expression.test(words))?.[1] ?? otherwise
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}
