/**
 * Brings a value into the types its schema asks for, and only where the schema asks.
 *
 * A value that fits is never touched. One that does not is converted when that has one result;
 * when it has several or none the value stays and an issue says so. Missing and unknown keys are
 * the validator's business: nothing is added, nothing is dropped.
 */
import type { Issue, JsonPath, Repair } from '../issue.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { ambiguity, chooseOutcome, mismatch } from './choice.ts'
import { conforms } from './conform.ts'
import { convert, repairOf } from './convert.ts'
import { decodeEmbedded, type EmbeddedJson } from './embedded-json.ts'
import { equalJson } from './equal.ts'
import { collect, fits, type Outcome, repaired } from './outcome.ts'
import { type Alternative, alternativesOf, isOfType, typeOf } from './resolve.ts'
import { findRenames, foldName, namesLike } from './spelling.ts'

export interface Coercion {
  readonly value: JsonValue
  readonly repairs: Repair[]
  readonly issues: Issue[]
}

/** What one coercion remembers, so that trying alternatives does not multiply with depth. */
interface Run {
  readonly root: JsonSchema
  readonly outcomes: Map<JsonSchema, Map<object, Outcome>>
  readonly decoded: Map<string, EmbeddedJson | undefined>
}

/** Values nested deeper are left as they are. */
const MAX_DEPTH = 512

/**
 * The value in the types of the schema, with everything that was changed and everything that could
 * not be.
 *
 * @example
 * coerce({ limit: '5' }, { properties: { limit: { type: 'integer' } } }).value // { limit: 5 }
 */
export function coerce(value: unknown, schema: JsonSchema): Coercion {
  return coerceAt(value, schema, schema, [])
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
  if (conforms(given, schema, root, 0)) return { value: given, repairs: [], issues: [] }
  const run: Run = { root, outcomes: new Map(), decoded: new Map() }
  const outcome = visit(given, schema, run, path.length)
  const notes = { repairs: [], issues: [] }
  collect(outcome, path, notes)
  return { value: outcome.value, ...notes }
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

function isOpenBeside({ additional }: Alternative): boolean {
  return additional === undefined || typeof additional === 'boolean'
}

/**
 * The declared name that a key spells, exactly or in another case; undefined when there is none or
 * more than one.
 */
export function findProperty(schema: JsonSchema, key: string): string | undefined {
  const object = soleObject(schema)
  if (!object) return undefined
  if (object.properties.has(key)) return key
  const [name, ...others] = namesLike(key, object)
  return others.length === 0 ? name : undefined
}

function soleObject(schema: JsonSchema): Alternative | undefined {
  const objects = alternativesOf(schema, schema).filter(({ type }) => isOfType('object', type))
  return objects.length === 1 ? objects[0] : undefined
}

function visit(value: JsonValue, schema: JsonSchema, run: Run, depth: number): Outcome {
  if (schema === true || depth > MAX_DEPTH) return fits(value)
  if (typeof value !== 'object' || value === null) return choose(value, schema, run, depth)
  const known = outcomesOf(schema, run)
  const before = known.get(value)
  if (before) return before
  // Stands in while the value is visited, so that one that contains itself comes to an end.
  known.set(value, fits(value))
  const outcome = choose(value, schema, run, depth)
  known.set(value, outcome)
  return outcome
}

function outcomesOf(schema: JsonSchema, run: Run): Map<object, Outcome> {
  const known = run.outcomes.get(schema) ?? new Map<object, Outcome>()
  run.outcomes.set(schema, known)
  return known
}

function choose(
  value: JsonValue,
  schema: JsonSchema,
  run: Run,
  depth: number,
  mayWrap = true,
): Outcome {
  const alternatives = alternativesOf(schema, run.root)
  const outcomes: Outcome[] = []
  for (const alternative of alternatives) {
    const outcome =
      attempt(value, alternative, run, depth) ??
      (mayWrap ? wrap(value, alternative, run, depth) : undefined) ??
      mismatch(value, [alternative])
    if (alternatives.length === 1 || isUntouched(outcome, value)) return outcome
    outcomes.push(outcome)
  }
  return chooseOutcome(value, alternatives, outcomes)
}

function isUntouched(outcome: Outcome, value: JsonValue): boolean {
  const { fit, repairs, faults, children } = outcome
  if (fit !== 'whole' || outcome.value !== value) return false
  return repairs.length === 0 && faults.length === 0 && children.length === 0
}

/** The value as it is or converted; undefined when the alternative cannot be reached. */
function attempt(
  value: JsonValue,
  wanted: Alternative,
  run: Run,
  depth: number,
): Outcome | undefined {
  const actual = typeOf(value)
  if (isOfType(actual, wanted.type)) return inspect(value, wanted, run, depth)
  const conversion = actual && convert(value, wanted.type, (text) => decode(text, run))
  if (!conversion) return undefined
  const inner = inspect(conversion.value, wanted, run, depth)
  if (inner.fit === 'none') return undefined
  return { ...inner, repairs: [...conversion.repairs, ...inner.repairs] }
}

// Only once: a schema of lists in lists would otherwise swallow any value, level after level.
function wrap(value: JsonValue, wanted: Alternative, run: Run, depth: number): Outcome | undefined {
  if (wanted.type !== 'array' || wanted.members || value === null || Array.isArray(value)) {
    return undefined
  }
  const item = choose(value, wanted.prefix[0] ?? wanted.items, run, depth + 1, false)
  if (item.fit === 'none' || item.fit === 'partial') return undefined
  const repairs = [repairOf('coerced-array', 'guess', value)]
  const children = isUntouched(item, value) ? [] : [[0, item] as const]
  return { value: [item.value], fit: item.fit, repairs, faults: [], children, wrapped: true }
}

function decode(text: string, run: Run): EmbeddedJson | undefined {
  if (!run.decoded.has(text)) run.decoded.set(text, decodeEmbedded(text))
  return run.decoded.get(text)
}

/** The value has the right type already; what about its members, keys and items? */
function inspect(value: JsonValue, wanted: Alternative, run: Run, depth: number): Outcome {
  if (wanted.members) return matchMember(value, wanted.members, wanted)
  if (Array.isArray(value)) return visitItems(value, wanted, run, depth)
  return isJsonObject(value) ? visitProperties(value, wanted, run, depth) : fits(value)
}

function matchMember(
  value: JsonValue,
  members: readonly JsonValue[],
  wanted: Alternative,
): Outcome {
  if (members.some((member) => equalJson(member, value))) return fits(value)
  const alike = members.filter((member) => spellsMember(value, member))
  const [member] = alike
  if (member === undefined) return mismatch(value, [wanted])
  if (alike.length > 1) return ambiguity(value, alike)
  return repaired(member, repairOf('coerced-enum', 'safe', value, member))
}

function spellsMember(value: JsonValue, member: JsonValue): boolean {
  if (typeof value !== 'string' || typeof member !== 'string') return false
  return foldName(value) === foldName(member)
}

type Child = readonly [key: string | number, outcome: Outcome]

function visitItems(items: JsonValue[], wanted: Alternative, run: Run, depth: number): Outcome {
  if (wanted.items === true && wanted.prefix.length === 0) return fits(items)
  const children: Child[] = []
  const after = items.map((item, at) => {
    const outcome = visit(item, wanted.prefix[at] ?? wanted.items, run, depth + 1)
    if (!isUntouched(outcome, item)) children.push([at, outcome])
    return outcome.value
  })
  return gather(isSame(items, after) ? items : after, children, true)
}

function visitProperties(
  object: JsonObject,
  wanted: Alternative,
  run: Run,
  depth: number,
): Outcome {
  const { names, faults } = findRenames(object, wanted)
  const children: Child[] = []
  const entries = Object.entries(object).map(([key, value]): [string, JsonValue] => {
    const name = names.get(key) ?? key
    const outcome = visit(value, schemaOf(name, wanted), run, depth + 1)
    if (name !== key)
      children.push([name, repaired(value, repairOf('coerced-key', 'safe', key, name))])
    if (!isUntouched(outcome, value)) children.push([name, outcome])
    return [name, outcome.value]
  })
  const same = names.size === 0 && entries.every(([key, value]) => value === object[key])
  // Not by assignment: a key may be `__proto__`.
  const after = same ? object : Object.fromEntries(entries)
  return { ...gather(after, children, isComplete(after, wanted)), faults }
}

function schemaOf(name: string, { properties, additional, patterned }: Alternative): JsonSchema {
  const declared = properties.get(name)
  if (declared !== undefined) return declared
  // `false` forbids the key, which is for the validator to say; the value is not at fault.
  return patterned ? true : additional || true
}

function isComplete(object: JsonObject, wanted: Alternative): boolean {
  if (!wanted.required.every((name) => Object.hasOwn(object, name))) return false
  if (wanted.additional !== false || wanted.patterned) return true
  return Object.keys(object).every((key) => wanted.properties.has(key))
}

function gather(value: JsonValue, children: readonly Child[], complete: boolean): Outcome {
  const fitting = children.map(([, { fit }]) => fit)
  const stuck = fitting.includes('none') || fitting.includes('partial')
  const whole = complete && !fitting.includes('incomplete')
  const fit = stuck ? 'partial' : whole ? 'whole' : 'incomplete'
  const wrapped = children.some(([, child]) => child.wrapped)
  return { value, fit, repairs: [], faults: [], children, wrapped }
}

function isSame(before: readonly JsonValue[], after: readonly JsonValue[]): boolean {
  return before.every((value, at) => value === after[at])
}
