/**
 * Brings a value into the types its schema asks for, and only where the schema asks.
 *
 * A value that fits is never touched. One that does not is converted when that has one result;
 * when it has several or none the value stays and an issue says so. Missing and unknown keys are
 * the validator's business: nothing is added, nothing is dropped.
 */
import { checkObject } from '../caller-input.ts'
import type { Issue, JsonPath, Repair, RepairCode } from '../issue.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { ambiguity, chooseOutcome, mismatch } from './choice.ts'
import { convert, repairOf } from './convert.ts'
import { decodeEmbedded, type EmbeddedJson } from './embedded-json.ts'
import { membersOf } from './members.ts'
import {
  type Child,
  collect,
  INCOMPLETE,
  NONE,
  type Note,
  type Outcome,
  PARTIAL,
  repaired,
  SAFE,
  WHOLE,
  WRAPPED,
} from './outcome.ts'
import { createPatterns, type Patterns } from './pattern.ts'
import { findProperty, soleObject } from './property-name.ts'
import { type Alternative, alternativesOf, isOfType, typeOf, undeclared } from './resolve.ts'
import { findRenames, type Renames } from './spelling.ts'

export interface Coercion {
  readonly value: JsonValue
  readonly repairs: Repair[]
  readonly issues: Issue[]
}

/** What one coercion remembers, so that trying alternatives does not multiply with depth; mostly nothing. */
interface Run {
  readonly root: JsonSchema
  readonly patterns: Patterns
  /** What may still be spent on keys with a slip. */
  readonly slips: { left: number }
  outcomes?: Map<JsonSchema, Map<object, Outcome | undefined>>
  decoded?: Map<string, EmbeddedJson | undefined>
}

/** Values nested deeper are left as they are. */
const MAX_DEPTH = 512

/** Names compared for slips in one coercion: 8 keys with each of 100 properties, in 2500 objects. */
const MAX_COMPARED = 2_000_000

/** Above this depth only choices are remembered; a value deeper down may be one that contains itself. */
const MAX_UNREMEMBERED = 8

/**
 * The value in the types of the schema, with everything that was changed and everything that could
 * not be.
 *
 * @example
 * coerce({ limit: '5' }, { properties: { limit: { type: 'integer' } } }).value // { limit: 5 }
 */
export function coerce(value: unknown, schema: JsonSchema): Coercion {
  if (typeof schema !== 'boolean') checkObject('a schema', schema, 'JSON Schema')
  return coerceAt(value, schema, schema, [])
}

/**
 * {@link coerce} for the arguments of a call, with the repairs they have had already. A schema for
 * something else than an object does not make them something else. Some models write all arguments
 * under a key of their own, such as `arguments` once more.
 */
export function coerceArguments(
  args: JsonObject,
  schema: JsonSchema,
  earlier: readonly Repair[],
): Coercion & {
  readonly value: JsonObject
  readonly lacks: (cut: boolean | undefined) => string | undefined
} {
  const given = inEnvelope(args, schema) ?? args
  const { value: coerced, repairs, issues } = coerce(given, schema)
  const value = isJsonObject(coerced) ? coerced : given
  const before = given === args ? earlier : [...earlier, GATHERED]
  const lacks = (cut: boolean | undefined): string | undefined => {
    const has = (damage: ReadonlySet<RepairCode>) => earlier.some(({ code }) => damage.has(code))
    if (!cut && !has(SWALLOWING)) return undefined
    const object = soleObject(schema)
    const isLost = (key: string) => !Object.hasOwn(value, key)
    const missing = cut || has(DAMAGE) ? object?.required.find(isLost) : undefined
    const lost = missing ?? (object && has(SWALLOWING) ? swallowedKey(value, object) : undefined)
    if (lost !== undefined) return `${lost} is missing`
    return has(DAMAGE) ? issues.find(({ code }) => code === 'schema-mismatch')?.message : undefined
  }
  return { value, repairs: before.length > 0 ? [...before, ...repairs] : repairs, issues, lacks }
}

/** Repairs of what may have held another argument, or more of one. */
const DAMAGE: ReadonlySet<RepairCode> = new Set([
  'added-null',
  'dropped-bracket',
  'escaped-quote',
  'missing-closer',
  'quoted-string',
  'replaced-separator',
])
/** Repairs of what may have made a key a part of a text. */
const SWALLOWING: ReadonlySet<RepairCode> = new Set([
  ...DAMAGE,
  'closed-string',
  'corrected-marker',
  'dropped-text',
])

/** A declared property that is missing because its key is in the text of another. */
function swallowedKey(args: JsonObject, { properties }: Alternative): string | undefined {
  const missing = [...properties.keys()].filter((key) => !Object.hasOwn(args, key))
  const values = Object.values(args)
  const texts = [...Object.keys(args), ...values].filter(
    (text): text is string => typeof text === 'string' && KEY_MARK.test(text),
  )
  const seen = new Set<JsonValue>(values.filter((value) => Array.isArray(value)).flat())
  for (const text of texts) addWrittenKeys(text, seen)
  const odd = new Set(missing.filter((key) => key !== '' && !WORD.test(key)).slice(0, MAX_ODD_KEYS))
  return missing.find(
    (key) => seen.has(key) || (odd.has(key) && texts.some((text) => spellsKey(text, key))),
  )
}

const KEY_MARK = /["':=<>]/
const WORD = /^[\w-]+$/
/** Each is looked for in every text; others are found in one pass. */
const MAX_ODD_KEYS = 20

/** The words that are written as keys are: `"city":`, `city=`, `<city>`. */
function addWrittenKeys(text: string, found: Set<JsonValue>): void {
  for (const { 0: word, index } of text.matchAll(/[\w-]+/g)) {
    if (isMarked(text.charAt(index - 1), text.charAt(index + word.length))) found.add(word)
  }
}

/** The same for a key that is no word. */
function spellsKey(text: string, key: string): boolean {
  for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, at + 1)) {
    const before = text.charAt(at - 1)
    const after = text.charAt(at + key.length)
    if (/[\w-]/.test(before) || /[\w-]/.test(after)) continue
    if (isMarked(before, after)) return true
  }
  return false
}

function isMarked(before: string, after: string): boolean {
  return /["'<=]/.test(before) || /["'=>:]/.test(after)
}

const GATHERED: Repair = { code: 'gathered-arguments', path: [], risk: 'guess' }

/** All arguments under one undeclared key, such as `arguments`; the name may stand there once more. */
function inEnvelope(args: JsonObject, schema: JsonSchema): JsonObject | undefined {
  let inner: JsonValue | undefined
  // Mostly the first key shows that there is none.
  for (const key in args) {
    if (key === 'name') continue
    if (inner !== undefined) return undefined
    inner = args[key]
    if (!isJsonObject(inner)) return undefined
  }
  if (!isJsonObject(inner) || soleObject(schema)?.additional) return undefined
  const hasDeclared = (object: JsonObject) =>
    Object.keys(object).some((key) => findProperty(schema, key) !== undefined)
  return hasDeclared(inner) && !hasDeclared(args) ? inner : undefined
}

/**
 * What {@link coerce} does to the value of a declared key, without the object around it. Where the
 * schema is a choice between several kinds of objects that depends on the other keys, and the value
 * stays.
 */
export function coerceProperty(key: string, value: unknown, schema: JsonSchema): Coercion {
  const property = soleObject(schema)?.properties.get(key) ?? true
  return coerceAt(value, property, schema, [key])
}

/** {@link coerce} for a value inside a document: `root` is where references lead. */
export function coerceAt(
  value: unknown,
  schema: JsonSchema,
  root: JsonSchema,
  path: JsonPath,
): Coercion {
  // What JSON cannot hold is not refused here: it is found to have no type and stays.
  const given = value as JsonValue
  const run = { root, patterns: createPatterns(), slips: { left: MAX_COMPARED } }
  const outcome = visit(given, schema, run, path.length)
  const coercion = { value: outcome ? outcome.value : given, repairs: [], issues: [] }
  if (outcome) collect(outcome, path, coercion)
  return coercion
}

/**
 * True when {@link coerce} leaves every text under this declared key alone, so that it can be
 * handed on while it is still arriving.
 */
export function canStreamText(schema: JsonSchema, key: string): boolean {
  const property = soleObject(schema)?.properties.get(key)
  if (property === undefined) return false
  const [only, ...others] = alternativesOf(property, schema)
  return others.length === 0 && only?.type === 'string' && only.members === undefined
}

/** True when {@link coerce} never changes anything inside an object. */
export function isOpenSchema(schema: JsonSchema): boolean {
  const [only, ...others] = alternativesOf(schema, schema)
  if (!only || others.length > 0 || (only.type !== 'any' && only.type !== 'object')) return false
  return only.properties.size === 0 && isOpenBeside(only) && only.members === undefined
}

function isOpenBeside({ additional, patterns }: Alternative): boolean {
  return patterns.length === 0 && (additional === undefined || typeof additional === 'boolean')
}

/** Undefined when the value fits as it is, here and below. */
function visit(value: JsonValue, schema: JsonSchema, run: Run, depth: number): Outcome | undefined {
  if (schema === true || depth > MAX_DEPTH) return undefined
  const alternatives = alternativesOf(schema, run.root)
  const isCheap = alternatives.length === 1 && depth < MAX_UNREMEMBERED
  if (isCheap || typeof value !== 'object' || value === null) {
    return choose(value, alternatives, run, depth)
  }
  run.outcomes ??= new Map()
  const known = run.outcomes.get(schema) ?? new Map<object, Outcome | undefined>()
  run.outcomes.set(schema, known)
  if (known.has(value)) return known.get(value)
  // Stands in while the value is visited, so that one that contains itself comes to an end.
  known.set(value, undefined)
  const outcome = choose(value, alternatives, run, depth)
  known.set(value, outcome)
  return outcome
}

function choose(
  value: JsonValue,
  alternatives: readonly Alternative[],
  run: Run,
  depth: number,
  mayWrap = true,
): Outcome | undefined {
  const only = alternatives.length === 1 ? alternatives[0] : undefined
  if (only) return attempt(value, only, run, depth, mayWrap)
  const outcomes: Outcome[] = []
  for (const alternative of alternatives) {
    const outcome = attempt(value, alternative, run, depth, mayWrap)
    if (!outcome) return undefined
    outcomes.push(outcome)
  }
  return chooseOutcome(value, alternatives, outcomes)
}

/** The value as it is, converted or as the only item of a list. */
function attempt(
  value: JsonValue,
  wanted: Alternative,
  run: Run,
  depth: number,
  mayWrap: boolean,
): Outcome | undefined {
  const type = typeOf(value)
  if (isOfType(type, wanted.type)) return inspect(value, wanted, run, depth)
  const converted = type && convert(value, wanted.type, (text) => decode(text, run))
  const inner = converted && inspect(converted.value, wanted, run, depth)
  if (converted && !inner) return converted
  if (converted && inner && inner.fit < NONE) {
    const risk = Math.max(converted.risk, inner.risk)
    return { ...inner, risk, notes: [...converted.notes, ...inner.notes] }
  }
  return (mayWrap && wrapOrUnwrap(value, wanted, run, depth)) || mismatch(value, [wanted])
}

/** Puts brackets around the value, or takes away an object that only names it. */
function wrapOrUnwrap(
  value: JsonValue,
  wanted: Alternative,
  run: Run,
  depth: number,
): Outcome | undefined {
  const wrapped = wrap(value, wanted, run, depth)
  const content = isJsonObject(value) ? contentOf(value, wanted.type) : undefined
  // An object that can be an item is one, unless its keys are those of lists.
  const isItem =
    wrapped?.fit === WHOLE && !Object.keys(Object(value)).every((key) => /^(?:item|\d+)$/.test(key))
  if (content === undefined || isItem) return wrapped
  const bare = attempt(content, wanted, run, depth + 1, wanted.type === 'array')
  if (bare && bare.fit >= PARTIAL) return wrapped
  const notes = [repairOf('unwrapped-value', 'guess', value), ...(bare?.notes ?? [])]
  return { value: content, fit: WHOLE, children: [], ...bare, risk: WRAPPED, notes }
}

/** What an object holds that says no more than a name, or the numbers of items. */
function contentOf(object: JsonObject, wanted: Alternative['type']): JsonValue | undefined {
  const keys = Object.keys(object)
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) return Object.values(object)
  const [key = '', second] = keys
  // An object in the place of a text is mostly a document: of `{"debug": "on"}` nothing may be lost.
  const isName = wanted !== 'string' || /^(?:\W?text|value)$/.test(key)
  return isName && second === undefined ? object[key] : undefined
}

// Only once: a schema of lists in lists would otherwise swallow any value, level after level.
function wrap(value: JsonValue, wanted: Alternative, run: Run, depth: number): Outcome | undefined {
  if (wanted.type !== 'array' || wanted.members || value === null || Array.isArray(value)) {
    return undefined
  }
  const alternatives = alternativesOf(wanted.prefix[0] ?? wanted.items, run.root)
  const item = choose(value, alternatives, run, depth + 1, false)
  const fit = item ? item.fit : WHOLE
  const notes = [repairOf('coerced-array', 'guess', value)]
  if (fit >= PARTIAL) {
    // `1, 2`: a list, but for its brackets.
    const isList = typeof value === 'string' && value.includes(',')
    const list = isList ? attempt(`[${value}]`, wanted, run, depth, false) : undefined
    return list && list.fit < PARTIAL ? { ...list, risk: WRAPPED, notes } : undefined
  }
  const children = item ? [[0, item] as const] : []
  return { value: [item ? item.value : value], fit, risk: WRAPPED, notes, children }
}

function decode(text: string, run: Run): EmbeddedJson | undefined {
  run.decoded ??= new Map()
  if (!run.decoded.has(text)) run.decoded.set(text, decodeEmbedded(text))
  return run.decoded.get(text)
}

/** The value has the right type already; what about its members, keys and items? */
function inspect(
  value: JsonValue,
  wanted: Alternative,
  run: Run,
  depth: number,
): Outcome | undefined {
  if (wanted.members) return matchMember(value, wanted.members, wanted)
  if (Array.isArray(value)) return visitItems(value, wanted, run, depth)
  return isJsonObject(value) ? visitProperties(value, wanted, run, depth) : undefined
}

function matchMember(
  value: JsonValue,
  members: readonly JsonValue[],
  wanted: Alternative,
): Outcome | undefined {
  const known = membersOf(members)
  if (known.has(value)) return undefined
  const alike = typeof value === 'string' ? known.like(value.replace(QUOTES, '')) : []
  const [member] = alike
  if (member === undefined) return mismatch(value, [wanted])
  if (alike.length > 1) return ambiguity(value, alike)
  return repaired(member, repairOf('coerced-enum', 'safe', value, member))
}

const QUOTES = /^["']|["']$/g

function visitItems(
  items: JsonValue[],
  { prefix, items: rest }: Alternative,
  run: Run,
  depth: number,
): Outcome | undefined {
  if (rest === true && prefix.length === 0) return undefined
  const children: (readonly [number, Outcome])[] = []
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as JsonValue // `at` is below its length
    const outcome = visit(item, prefix[at] ?? rest, run, depth + 1)
    if (outcome) children.push([at, outcome])
  }
  const changed = children.filter(([at, { value }]) => value !== items[at])
  const after = changed.length > 0 ? [...items] : items
  for (const [at, { value }] of changed) after[at] = value
  return gather(after, WHOLE, [], children)
}

function visitProperties(
  object: JsonObject,
  wanted: Alternative,
  run: Run,
  depth: number,
): Outcome | undefined {
  const renames = findRenames(object, wanted, run.slips)
  const children: Child[] = []
  for (const key of Object.keys(object)) {
    const name = renames?.names.get(key) ?? key
    const value = object[key] as JsonValue // the key is one of its own
    const outcome = visit(value, schemaOf(name, wanted, run), run, depth + 1)
    if (name !== key) {
      const repair = renames?.slips.has(key)
        ? repairOf('corrected-key', 'guess', key, name)
        : repairOf('coerced-key', 'safe', key, name)
      children.push([name, repaired(value, repair)])
    }
    if (outcome) children.push([name, outcome])
  }
  const after = children.length === 0 ? object : withChildren(object, renames, children)
  const fit = isComplete(after, wanted) ? WHOLE : INCOMPLETE
  return gather(after, fit, renames?.faults ?? [], children)
}

function withChildren(
  object: JsonObject,
  renames: Renames | undefined,
  children: readonly Child[],
): JsonObject {
  const outcomes = new Map(children)
  const entries = Object.entries(object).map(([key, value]): [string, JsonValue] => {
    const name = renames?.names.get(key) ?? key
    const outcome = outcomes.get(name)
    return [name, outcome ? outcome.value : value]
  })
  const same = entries.every(([key, value]) => value === object[key])
  // Not by assignment: a key may be `__proto__`.
  return same ? object : Object.fromEntries(entries)
}

function schemaOf(name: string, wanted: Alternative, { patterns }: Run): JsonSchema {
  // What forbids the key is for the validator to say; the value is not at fault.
  return wanted.properties.get(name) ?? (undeclared(name, wanted, patterns) || true)
}

function isComplete(object: JsonObject, wanted: Alternative): boolean {
  if (!wanted.required.every((name) => Object.hasOwn(object, name))) return false
  if (wanted.additional !== false || wanted.patterns.length > 0) return true
  return Object.keys(object).every((key) => wanted.properties.has(key))
}

function gather(
  value: JsonValue,
  own: number,
  notes: readonly Note[],
  children: readonly Child[],
): Outcome | undefined {
  if (own === WHOLE && notes.length + children.length === 0) return undefined
  let fit = own
  let risk = SAFE
  for (const [, child] of children) {
    fit = Math.max(fit, Math.min(child.fit, PARTIAL))
    risk = Math.max(risk, child.risk)
  }
  return { value, fit, risk, notes, children }
}
