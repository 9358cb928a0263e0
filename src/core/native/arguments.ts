/** Arguments of a native call, brought into the one form the model has: a plain object. */
import type { IssueCode, Repair } from '../issue.ts'
import { repairJson } from '../json/repair.ts'
import { parseStrict } from '../json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { DEFAULT_LIMITS, type RepairLevel } from '../options.ts'

export interface DecodeOptions {
  readonly repair: RepairLevel
  readonly schema?: JsonSchema | undefined
  readonly maxDepth?: number | undefined
}

/** Why a call cannot be made. */
export interface Fault {
  readonly code: IssueCode
  readonly message: string
}

/** Either the arguments or the reason why there are none. */
export type DecodedArguments =
  | { readonly value: JsonObject; readonly repairs: readonly Repair[]; readonly fault?: undefined }
  | { readonly fault: Fault }

const NOTHING: DecodedArguments = { value: {}, repairs: [] }

// Sixteen digits in a row may be an integer that a double cannot hold.
const MAYBE_UNSAFE_INTEGER = /\d{16}/

/**
 * Decodes arguments sent as an object, as JSON text, or not at all. Arguments that were cut off
 * are a fault even where they could be completed: half a command is not the command.
 */
export function decodeArguments(value: unknown, options: DecodeOptions): DecodedArguments {
  const decoded = typeof value === 'string' ? decodeText(value, options) : fromValue(value)
  if (decoded.fault || !isDeeper(decoded.value, options.maxDepth ?? DEFAULT_LIMITS.maxDepth)) {
    return decoded
  }
  return fault('limit-exceeded', 'the arguments are nested too deeply')
}

function decodeText(text: string, options: DecodeOptions): DecodedArguments {
  const trimmed = text.trim()
  if (trimmed === '') return NOTHING
  const strict = parseStrict(trimmed)
  if (strict !== undefined && (options.repair === 'off' || !MAYBE_UNSAFE_INTEGER.test(trimmed))) {
    return typeof strict === 'string' ? decodeTwice(strict, options) : fromValue(strict)
  }
  return decodeRepaired(trimmed, options)
}

function decodeRepaired(text: string, { repair, schema }: DecodeOptions): DecodedArguments {
  const invalid = fault('invalid-json', 'the arguments are not JSON and could not be repaired')
  if (repair === 'off') return invalid
  const { value, complete, repairs } = repairJson(text, { repair, ...(schema && { schema }) })
  if (value === undefined) return invalid
  if (!complete) return fault('truncated-call', 'the arguments end before they are complete')
  return isJsonObject(value) ? { value, repairs } : invalid
}

/** JSON text inside a JSON string: encoded once too often, which happens; twice does not. */
function decodeTwice(text: string, options: DecodeOptions): DecodedArguments {
  if (options.repair === 'off' || !text.trimStart().startsWith('{')) return fromValue(text)
  const decoded = decodeText(text, options)
  if (decoded.fault) return decoded
  const repair: Repair = { code: 'decoded-string', path: [], risk: 'safe' }
  return { ...decoded, repairs: [repair, ...decoded.repairs] }
}

function fromValue(value: unknown): DecodedArguments {
  if (isJsonObject(value)) return { value, repairs: [] }
  if (value === null || value === undefined) return NOTHING
  const kind = Array.isArray(value) ? 'array' : typeof value
  return fault('invalid-arguments', `the arguments are a JSON ${kind}, expected an object`)
}

function fault(code: IssueCode, message: string): { readonly fault: Fault } {
  return { fault: { code, message } }
}

/** Stops at the limit, so that neither depth nor a cycle can exhaust the stack. */
function isDeeper(value: JsonValue, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  return Object.values(value).some((inner) => isDeeper(inner, limit - 1))
}
