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
import type { Issue, Repair } from '../issue.ts'
import { parseObject, parseStrict } from '../json/strict.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { coerceArguments, findProperty } from '../schema/coerce.ts'
import { decodeEmbedded } from '../schema/embedded-json.ts'
import { readNumber } from '../schema/number.ts'
import { propertyOrder } from '../schema/resolve.ts'
import { viewSchema } from '../schema/view.ts'
import { readJsonArguments } from './json.ts'
import { unquote } from './quoted.ts'
import { type Part, splitParts } from './split.ts'

export interface ParsedArguments {
  readonly arguments: JsonObject
  readonly repairs: Repair[]
  readonly issues: Issue[]
}

interface Reading {
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

/** The arguments that a text spells. Never throws; the result is always a plain object. */
export function parseArguments(text: string, schema?: JsonSchema): ParsedArguments {
  const source = text.trim()
  const reading = source === '' ? { arguments: {}, repairs: [] } : read(source, schema)
  if (schema === undefined) return { ...reading, repairs: [...reading.repairs], issues: [] }
  const { value, repairs, issues } = coerceArguments(reading.arguments, schema, reading.repairs)
  return { arguments: value, repairs, issues }
}

function read(source: string, schema: JsonSchema | undefined): Reading {
  return readObject(source, schema) ?? readArray(source, schema) ?? readList(source, schema)
}

function readObject(written: string, schema: JsonSchema | undefined): Reading | undefined {
  const source = written.replace(UNPACKED, '')
  const isQuoted = source.startsWith('"')
  if (!isQuoted && !source.startsWith('{')) return undefined
  const braceless = isQuoted ? parseObject(`{${source}}`) : undefined
  if (braceless) return { arguments: braceless, repairs: [] }
  const { value, repairs } = readJsonArguments(source, { repair: 'guess', schema })
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

function readArray(source: string, schema: JsonSchema | undefined): Reading | undefined {
  const decoded = source.startsWith('[') ? decodeEmbedded(source) : undefined
  if (!decoded || !Array.isArray(decoded.value)) return undefined
  const values = takesArray(schema) ? [decoded.value] : decoded.value
  const named = nameArguments(
    values.map((value) => ({ value, bare: false })),
    schema,
  )
  return { ...named, repairs: [...decoded.repairs, ...named.repairs] }
}

/** True when a list on its own is the first argument and not the list of arguments. */
function takesArray(schema: JsonSchema | undefined): boolean {
  const [first, ...others] = schema === undefined ? [] : propertyOrder(schema)
  if (schema === undefined || first === undefined) return false
  return viewSchema(schema)?.property(first)?.accepts('array') ?? others.length === 0
}

function readList(source: string, schema: JsonSchema | undefined): Reading {
  const parts = splitParts(source).map((part) => readPart(part, schema))
  const isText = schema !== undefined && isPlainText(parts, schema)
  return nameArguments(isText ? [readValue(source)] : parts, schema)
}

// A tool with one text to fill gets all of it, commas and equal signs included: `A=1 make, quick`.
function isPlainText(parts: readonly Argument[], schema: JsonSchema): boolean {
  const [only, ...others] = propertyOrder(schema)
  if (only === undefined || others.length > 0) return false
  if (viewSchema(schema)?.property(only)?.accepts('string') === false) return false
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

function nameArguments(list: readonly Argument[], schema: JsonSchema | undefined): Reading {
  const given = new Set(list.flatMap(({ key }) => (key === undefined ? [] : [key])))
  const free = freeNames(given, schema)
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
    return [name, typed(name, argument, schema, repairs)]
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
  schema: JsonSchema | undefined,
  repairs: Repair[],
): JsonValue {
  if (!bare || typeof value !== 'string') return value
  if (schema === undefined || findProperty(schema, key) === undefined) return readLiteral(value)
  const read = viewSchema(schema)?.property(key)?.read(value)
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
