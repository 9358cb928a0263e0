/**
 * Reads the arguments of a call from text: JSON, `key=value` and `key: value` lists, positionals.
 *
 *     {"query": "python", "limit": 10}        a JSON object, also with the usual slips
 *     "query": "python", "limit": 10          the same without its braces
 *     **{"query": "python"}                   an object as Python unpacks it
 *     ["python", 10]                          a JSON array: positionals with their types
 *     query="python", limit=10                names; what is in quotes is text, the rest is typed
 *     query: python, limit: 10                names, with a space behind the colon
 *     python, 10                              positionals, always text: arg0, arg1, …
 *
 * A schema gives positionals their names (the required ones first) and every value its type. It also
 * tells prose from names: `note: buy milk` is a name only when `note` is declared.
 */
import type { Repair } from '../issue.ts'
import { parseObject, parseStrict } from '../json/strict.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import type { Fit } from '../options.ts'
import { decodeEmbedded } from '../schema/embedded-json.ts'
import { readNumber } from '../schema/number.ts'
import { findProperty } from '../schema/property-name.ts'
import { propertyOrder } from '../schema/resolve.ts'
import { readJsonArguments } from './json.ts'
import { unquote } from './quoted.ts'
import { type Part, splitParts } from './split.ts'

export interface SpelledArguments {
  readonly arguments: JsonObject
  readonly repairs: readonly Repair[]
}

/** One argument: a JSON value, or text that was not in quotes and may still become one. */
interface Argument {
  readonly key?: string
  readonly value: JsonValue
  readonly bare: boolean
}

const KEY = /^[\p{L}_$][\p{L}\p{N}_.$-]*$/u

/** Stars before an object that is all there is. */
const UNPACKED = /^\*\*(?=\s*\{)/

/**
 * The arguments that a text spells, with the names that the schema has for them; what is quoted stays text.
 * Conversion is the business of `fit`: without it a bare word has the type it looks like. Never throws.
 */
export function readSpelled(
  text: string,
  schema: JsonSchema | undefined,
  fit: TextFit | undefined,
): SpelledArguments {
  const source = text.trim()
  if (source === '') return { arguments: {}, repairs: [] }
  const declared = { schema, fit }
  return readObject(source, declared) ?? readArray(source, declared) ?? readList(source, declared)
}

/** The part of a fit that is needed to read text. */
export type TextFit = Pick<Fit, 'fit' | 'view'>

/** What is known of the tool. */
interface Declared {
  readonly schema: JsonSchema | undefined
  readonly fit: TextFit | undefined
}

function readObject(written: string, { schema, fit }: Declared): SpelledArguments | undefined {
  const source = written.replace(UNPACKED, '')
  const isQuoted = source.startsWith('"')
  if (!isQuoted && !source.startsWith('{')) return undefined
  const braceless = isQuoted ? parseObject(`{${source}}`) : undefined
  if (braceless) return { arguments: braceless, repairs: [] }
  const { value, repairs } = readJsonArguments(source, { repair: 'guess', schema, fit })
  if (!isJsonObject(value) || repairs.some(isMoreText)) return undefined
  // `{"x": 1}, 5` is a list that begins with an object.
  if (repairs.length > 0 && splitParts(source).length > 1) return undefined
  // Where the tool takes text, JSON in quotes may just be that text.
  const isMeant =
    !isQuoted || !schema || Object.keys(value).some((key) => findProperty(schema, key))
  return isMeant ? { arguments: value, repairs } : undefined
}

/** Closing brackets and commas too many are slips; anything else behind the object is not. */
function isMoreText({ code, before = '' }: Repair): boolean {
  return code === 'dropped-text' && !/^[\]}),;\s]+$/.test(before)
}

function readArray(source: string, declared: Declared): SpelledArguments | undefined {
  const decoded = source.startsWith('[') ? decodeEmbedded(source) : undefined
  if (!decoded || !Array.isArray(decoded.value)) return undefined
  const values = takesArray(declared) ? [decoded.value] : decoded.value
  const named = nameArguments(
    values.map((value) => ({ value, bare: false })),
    declared,
  )
  return { ...named, repairs: [...decoded.repairs, ...named.repairs] }
}

/** True when a list on its own is the first argument and not the list of arguments. */
function takesArray({ schema, fit }: Declared): boolean {
  const [first, ...others] = schema === undefined ? [] : propertyOrder(schema)
  if (schema === undefined || first === undefined) return false
  return fit?.view(schema)?.property(first)?.accepts('array') ?? others.length === 0
}

function readList(source: string, declared: Declared): SpelledArguments {
  const parts = splitParts(source).map((part) => readPart(part, declared.schema))
  return nameArguments(isPlainText(parts, declared) ? [readValue(source)] : parts, declared)
}

// A tool with one text to fill gets all of it, commas and equal signs included: `A=1 make, quick`.
function isPlainText(parts: readonly Argument[], { schema, fit }: Declared): boolean {
  const [only, ...others] = schema === undefined ? [] : propertyOrder(schema)
  if (schema === undefined || only === undefined || others.length > 0) return false
  if (fit?.view(schema)?.property(only)?.accepts('string') === false) return false
  return parts.every(({ key }) => key === undefined || findProperty(schema, key) === undefined)
}

function readPart(part: Part, schema: JsonSchema | undefined): Argument {
  for (const at of part.separators) {
    const key = readKey(part.text, at, schema)
    if (key !== undefined) return { key, ...readValue(part.text.slice(at + 1).trim()) }
  }
  return readValue(part.text)
}

function readValue(text: string): Argument {
  const quoted = unquote(text)
  return { value: quoted ?? text, bare: quoted === undefined }
}

/** The key before the separator; undefined when that is no key or no separator. */
function readKey(text: string, at: number, schema: JsonSchema | undefined): string | undefined {
  const before = text.slice(0, at).trim()
  const quoted = unquote(before)
  if (quoted === undefined && !KEY.test(before)) return undefined
  const next = text.charAt(at + 1)
  // `a == b` and `a => b` say something else.
  if (text[at] === '=') return next === '=' || next === '>' ? undefined : (quoted ?? before)
  if (quoted !== undefined) return quoted
  // Without the space it is a URL, a time or `std::vector`.
  return /\s/.test(next) && isDeclared(before, schema) ? before : undefined
}

function isDeclared(key: string, schema: JsonSchema | undefined): boolean {
  if (schema === undefined || propertyOrder(schema).length === 0) return true
  return findProperty(schema, key) !== undefined
}

function nameArguments(list: readonly Argument[], declared: Declared): SpelledArguments {
  const given = new Set(list.flatMap(({ key }) => (key === undefined ? [] : [key])))
  const free = freeNames(given, declared.schema)
  const repairs: Repair[] = []
  let next = 0
  const entries = list.map((argument, at): [string, JsonValue] => {
    const name = argument.key ?? free.shift()
    if (name === undefined) {
      next = Math.max(next, at)
      while (given.has(`arg${next}`)) next++
      return [`arg${next++}`, argument.value]
    }
    if (argument.key === undefined) repairs.push(namedPositional(at, name))
    return [name, typed(name, argument, declared, repairs)]
  })
  // Not by assignment: a key may be `__proto__`.
  return { arguments: Object.fromEntries(entries), repairs }
}

function namedPositional(at: number, name: string): Repair {
  return { code: 'named-positional', path: [name], risk: 'guess', before: `arg${at}`, after: name }
}

/** Names for positionals: what the schema declares and the list does not name itself. */
function freeNames(given: ReadonlySet<string>, schema: JsonSchema | undefined): string[] {
  if (schema === undefined) return []
  const taken = new Set([...given].map((key) => findProperty(schema, key)))
  return propertyOrder(schema).filter((name) => !taken.has(name))
}

/** Text without quotes gets the type of its property, or the type it looks like. */
function typed(
  key: string,
  { value, bare }: Argument,
  { schema, fit }: Declared,
  repairs: Repair[],
): JsonValue {
  if (!bare || typeof value !== 'string') return value
  const isDeclared = schema !== undefined && findProperty(schema, key) !== undefined
  if (!isDeclared || !fit) return readLiteral(value)
  const read = fit.view(schema)?.property(key)?.read(value)
  if (!read) return decodeEmbedded(value)?.value ?? readLiteral(value)
  // What does not fit is found again, and reported, when the whole object is coerced.
  repairs.push(...read.repairs)
  return read.value
}

// `null`, lists and objects stay text, and so does `+47`: without a schema nobody can say that they are
// not meant so.
function readLiteral(text: string): JsonValue {
  const word = text.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  return (parseStrict(text) === undefined ? undefined : readNumber(text)) ?? text
}
