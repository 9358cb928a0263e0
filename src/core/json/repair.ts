/**
 * JSON as models write it, as a value. `JSON.parse` decides first: what it accepts is never read
 * in another way.
 */
import { checkText } from '../caller-input.ts'
import type { JsonPath, Repair, RepairCode } from '../issue.ts'
import type { JsonSchema } from '../model.ts'
import type { RepairLevel } from '../options.ts'
import { completeScalar, readScalar } from './bare-word.ts'
import { findLargeIntegers } from './large-integers.ts'
import { locateJson, skipBlank } from './locate.ts'
import { allAllowed, readBroken, toValue } from './read.ts'
import { parseStrict } from './strict.ts'
import { isJsonObject, type JsonValue } from './value.ts'

export interface RepairJsonOptions {
  /** Settles what the text alone cannot: JSON in a string, digits that are a name. */
  readonly schema?: JsonSchema | undefined
  /** More text is to come: whatever it may still change is left out. */
  readonly partial?: boolean
  readonly repair?: RepairLevel
  /** Limit for repaired text; what `JSON.parse` accepts may be deeper. */
  readonly maxDepth?: number
}

export interface RepairedJson {
  /** Undefined when the text has no value in it. */
  readonly value: JsonValue | undefined
  /** False when the text stopped before its value did. */
  readonly complete: boolean
  readonly repairs: Repair[]
}

const MAX_QUOTED = 200
const MAX_DECODED = 2
const FENCE = '```'
const CLOSERS_ONLY = /^[\]})\s]{1,4096}$/
const COMMAS_ONLY = /^[,;\s]{1,4096}$/
/** A quoted key and its colon: only the opening brace is missing. */
const BRACELESS_OBJECT = /^"[^"\\\n]{1,128}"\s{0,16}:/

/**
 * Reads JSON, repairing what models get wrong. Never throws.
 *
 * @example
 * repairJson("{city: 'Oslo',}").value // { city: 'Oslo' }
 */
export function repairJson(text: string, options: RepairJsonOptions = {}): RepairedJson {
  checkText('JSON to repair', text)
  const { value, complete, repairs, json } = readText(text, options)
  if (value === undefined) return { value, complete, repairs }
  const settled = settleIntegers(value, json, repairs, options.schema)
  return { value: decodeStrings(settled, repairs, options), complete, repairs }
}

interface ReadText extends RepairedJson {
  /** JSON text of the value. */
  readonly json: string
}

function readText(text: string, options: RepairJsonOptions): ReadText {
  const value = parseJson(text)
  if (value !== undefined) return { value, complete: true, repairs: [], json: text }
  const start = skipBlank(text, 0)
  if (start >= text.length) return nothingWith([])
  const first = text.charAt(start)
  if (BRACELESS_OBJECT.test(text.slice(start, start + 150))) {
    return readAt(`{${text.slice(start)}`, 0, [{ code: 'added-bracket', after: '{' }], options)
  }
  if (`"'“‘`.includes(first)) return readAt(text, start, [], options)
  const place = locateJson(text)
  if (place === undefined) return readPlain(text, options)
  const taken: TextRepair[] = []
  if (text.charCodeAt(0) === 0xfeff)
    taken.push({ code: 'dropped-text', before: '\uFEFF', safe: true })
  if (place.before !== '') taken.push({ code: 'dropped-text', before: place.before })
  if (place.fenced) taken.push({ code: 'unwrapped-fence', safe: true })
  return readAt(text, place.at, taken, options)
}

/** Saves the price of an exception where the first characters rule JSON out. */
const CANNOT_BE_JSON = /^\s{0,64}(?:\{\s{0,64}[^"}\s]|[^\s{["\d\-tfn])/

/** What `JSON.parse` makes of the text; undefined when it refuses. Valid JSON is the caller's, however deep. */
function parseJson(text: string): JsonValue | undefined {
  return CANNOT_BE_JSON.test(text) || isCutOff(text)
    ? undefined
    : parseStrict(text, { depth: Infinity })
}

/** The last character shows most texts that stop too early; `JSON.parse` only at their end. */
function isCutOff(text: string): boolean {
  const first = text.charCodeAt(0)
  if (first !== 123 && first !== 91) return false
  let end = text.length - 1
  while (end > 0 && text.charCodeAt(end) <= 32) end--
  // The closing bracket is two characters behind the opening one, for both kinds.
  return text.charCodeAt(end) !== first + 2
}

/** A repair around the value; its path is the root. */
interface TextRepair {
  readonly code: RepairCode
  readonly before?: string
  readonly after?: string
  readonly safe?: boolean
}

function rootRepair({ code, before, after, safe = false }: TextRepair): Repair {
  return {
    code,
    path: [],
    risk: safe ? 'safe' : 'guess',
    ...(before === undefined ? {} : { before: before.slice(0, MAX_QUOTED) }),
    ...(after === undefined ? {} : { after }),
  }
}

function readAt(
  text: string,
  at: number,
  taken: readonly TextRepair[],
  options: RepairJsonOptions,
): ReadText {
  const repairs = taken.map(rootRepair)
  const isLast = options.partial !== true
  const isCloser = text.includes(FENCE, at) ? isFence : undefined
  const readerOptions = { ...options, isCloser }
  const { json, end, complete } = readBroken(text, at, isLast, readerOptions, repairs)
  if (complete) repairs.push(...describeRest(text.slice(end)))
  if (json === undefined || !allAllowed(repairs, options.repair)) return nothingWith(repairs)
  return { value: toValue(json), complete, repairs, json }
}

function isFence(text: string, at: number): boolean {
  return text.startsWith(FENCE, at)
}

function nothingWith(repairs: Repair[]): ReadText {
  return { value: undefined, complete: false, repairs, json: '' }
}

/** What stands behind the value. */
function describeRest(text: string): Repair[] {
  const rest = text.trim()
  if (rest === '') return []
  if (rest.startsWith(FENCE)) return describeRest(rest.slice(FENCE.length))
  if (CLOSERS_ONLY.test(rest)) {
    return [rootRepair({ code: 'dropped-bracket', before: rest, after: '' })]
  }
  if (COMMAS_ONLY.test(rest)) {
    return [rootRepair({ code: 'dropped-comma', before: rest, after: '', safe: true })]
  }
  return [rootRepair({ code: 'dropped-text', before: rest })]
}

/** A text without brackets: a literal of another language, or simply text. */
function readPlain(text: string, options: RepairJsonOptions): ReadText {
  const word = text.slice(skipBlank(text, 0)).trimEnd()
  const short = word.length <= MAX_QUOTED ? word : ''
  if (options.partial === true && short !== '' && completeScalar(short) !== undefined) {
    return nothingWith([])
  }
  const scalar = short === '' ? undefined : readScalar(short)
  const json = scalar?.text ?? JSON.stringify(text)
  const code = scalar === undefined ? 'quoted-string' : (scalar.code ?? 'dropped-text')
  const safe = scalar?.risk === 'safe'
  const repairs = [rootRepair({ code, before: text, safe })]
  if (!allAllowed(repairs, options.repair)) return nothingWith(repairs)
  return { value: toValue(json), complete: true, repairs, json }
}

/** Reports integers that lost digits; where the schema wants text, the digits become it. */
function settleIntegers(
  value: JsonValue,
  json: string,
  repairs: Repair[],
  schema: JsonSchema | undefined,
): JsonValue {
  let result = value
  for (const { path, digits } of findLargeIntegers(json)) {
    if (typesAt(schema, path).has('string')) {
      result = withValue(result, path, digits)
      repairs.push({ code: 'coerced-string', path, risk: 'safe', before: digits, after: digits })
    } else {
      const after = String(Number(digits))
      repairs.push({ code: 'unsafe-integer', path, risk: 'guess', before: digits, after })
    }
  }
  return result
}

function withValue(root: JsonValue, path: JsonPath, value: JsonValue): JsonValue {
  let parent = root
  for (const step of path.slice(0, -1)) parent = member(parent, step) ?? null
  const step = path.at(-1)
  if (step === undefined) return value
  if (Array.isArray(parent) && typeof step === 'number') parent[step] = value
  else if (isJsonObject(parent) && Object.hasOwn(parent, step)) {
    // Defined, not assigned: `__proto__` is a key like any other.
    Object.defineProperty(parent, step, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    })
  }
  return root
}

function member(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

/** The types a schema names for the value at `path`; empty when it says nothing. */
function typesAt(schema: JsonSchema | undefined, path: JsonPath): ReadonlySet<string> {
  let current: JsonValue | undefined = schema
  for (const step of path) {
    const next: JsonValue | undefined =
      typeof step === 'number'
        ? member(current, 'items')
        : (member(member(current, 'properties'), step) ?? member(current, 'additionalProperties'))
    current = next
  }
  const type = member(current, 'type')
  if (typeof type === 'string') return new Set([type])
  if (Array.isArray(type)) return new Set(type.filter((name) => typeof name === 'string'))
  return new Set(member(current, 'properties') === undefined ? [] : ['object'])
}

/** Decodes a string in place of the object or array the schema asks for. */
function decodeStrings(value: JsonValue, repairs: Repair[], options: RepairJsonOptions): JsonValue {
  const types = typesAt(options.schema, [])
  const wanted = types.has('object') || types.has('array')
  if (typeof value !== 'string' || !wanted || types.has('string')) return value
  let decoded: JsonValue = value
  const inner: Repair[] = []
  for (let round = 0; round < MAX_DECODED && typeof decoded === 'string'; round++) {
    if (!/^[\s"'`]*[{[]/.test(decoded.slice(0, MAX_QUOTED))) return value
    const read = readText(decoded, options)
    if (read.value === undefined || !read.complete) return value
    decoded = read.value
    inner.push({ code: 'decoded-string', path: [], risk: 'guess' }, ...read.repairs)
  }
  const fits = Array.isArray(decoded)
    ? types.has('array')
    : isJsonObject(decoded) && types.has('object')
  if (!fits || !allAllowed(inner, options.repair)) return value
  repairs.push(...inner)
  return decoded
}
