/**
 * One native tool call, read by its shape. Which provider sent it is not asked: proxies and
 * compatible servers mix the shapes, and no two of them contradict each other.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts'

/** A call as a provider sent it: found, but not checked. */
export interface NativeCall {
  readonly name?: string | undefined
  readonly id?: string | undefined
  /** The provider's own text, byte for byte, when the arguments came as text. */
  readonly rawArguments?: string | undefined
  readonly arguments: unknown
  readonly provider?: JsonObject | undefined
  /** The call as it came. */
  readonly raw: unknown
  /** False for a member of a list of calls that looks like no provider's call. */
  readonly known: boolean
}

const ARGUMENT_KEYS = ['arguments', 'input', 'parameters', 'args'] as const
const NAME_KEYS = ['name', 'toolName', 'tool_name'] as const
// `call_id` before `id`: in the Responses API `id` names the item and only `call_id` the call.
const ID_KEYS = ['call_id', 'id', 'toolUseId', 'toolCallId', 'tool_call_id'] as const
// What providers want back with the call and nobody else understands.
const PROVIDER_KEYS = [
  'thoughtSignature',
  'thought_signature',
  'extra_content',
  'namespace',
  'caller',
  'toolset_name',
] as const

// Objects that hold name and arguments one level down, with what surrounds them.
const NESTING_KEYS = ['function', 'functionCall', 'function_call', 'toolUse', 'tool_use'] as const

const FLAT_TYPE = /^(tool_use|function(_call)?|tool[-_]call)$/

// What the provider runs itself, and what came of it: never for us to answer.
const SERVER_SIDE = /^(?:server_tool_use|mcp_.+|.+_call|.+_result)$/

// Its input is free text, not JSON.
const FREE_TEXT_TYPE = /^custom(_tool_call)?$/

/**
 * Reads a call whose shape leaves no doubt that it is one, and nothing else. Use this where other
 * things may stand beside calls, such as content parts.
 */
export function readMarkedCall(value: unknown): NativeCall | undefined {
  if (!isJsonObject(value)) return undefined
  const type = typeof value['type'] === 'string' ? value['type'] : ''
  if (FREE_TEXT_TYPE.test(type)) return readFreeTextCall(value)
  const inner = firstOf(value, NESTING_KEYS, (one) => (isJsonObject(one) ? one : undefined))
  if (inner) return callFrom(inner, value)
  return FLAT_TYPE.test(type) || isCanonical(value) ? callFrom(value, value) : undefined
}

/** Reads a member of a list that is meant to hold calls; never fails, see `known`. */
export function readListedCall(value: unknown): NativeCall {
  const marked = readMarkedCall(value)
  if (marked) return marked
  if (isJsonObject(value) && NAME_KEYS.some((key) => key in value)) return callFrom(value, value)
  return { arguments: undefined, raw: value, known: false }
}

/** True for calls and results of tools that run on the provider's side. */
export function isServerSide(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return false
  return SERVER_SIDE.test(value['type']) && readMarkedCall(value) === undefined
}

/** True for a call in our own model, whose other fields must survive being read again. */
export function isCanonical(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    (value['origin'] === 'native' || value['origin'] === 'text') &&
    isJsonObject(value['arguments'])
  )
}

function callFrom(inner: JsonObject, outer: JsonObject): NativeCall {
  const places = [outer, inner, outer['metadata']].filter(isJsonObject)
  const args = firstOf(inner, ARGUMENT_KEYS, (value) => value ?? undefined)
  return {
    name: firstOf(inner, NAME_KEYS, text),
    id: places.map((place) => firstOf(place, ID_KEYS, text)).find(isPresent),
    rawArguments: typeof args === 'string' ? args : text(inner['rawArguments']),
    arguments: args,
    provider: providerFields(outer, inner),
    raw: outer,
    known: true,
  }
}

// A custom tool takes one text. It becomes the argument `input`, since arguments are an object.
function readFreeTextCall(value: JsonObject): NativeCall {
  const inner = isJsonObject(value['custom']) ? value['custom'] : value
  const { rawArguments: input, ...call } = callFrom(inner, value)
  const provider = { ...call.provider, type: 'custom' }
  return { ...call, arguments: { input: input ?? '' }, provider }
}

/** What `read` makes of the first key that it makes something of. */
function firstOf<T>(
  object: JsonObject,
  keys: readonly string[],
  read: (value: JsonValue | undefined) => T | undefined,
): T | undefined {
  return keys.map((key) => read(object[key])).find(isPresent)
}

function isPresent<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null
}

// Numbers are accepted: some servers count their calls instead of naming them.
function text(value: unknown): string | undefined {
  const found = typeof value === 'number' ? String(value) : value
  return typeof found === 'string' && found.trim() !== '' ? found : undefined
}

function providerFields(outer: JsonObject, inner: JsonObject): JsonObject | undefined {
  const own = outer['provider']
  const fields: JsonObject = isJsonObject(own) ? { ...own } : {}
  for (const key of PROVIDER_KEYS) {
    const value = outer[key] ?? inner[key]
    if (isPresent(value)) fields[key] = value
  }
  return Object.keys(fields).length > 0 ? fields : undefined
}
