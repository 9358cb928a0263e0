/** Arguments of a native call, brought into the one form the model has: a plain object. */
import { type JsonArgumentsOptions, readJsonArguments } from '../arguments/json.ts'
import { ARGUMENTS_LOST, isLost } from '../arguments/lost.ts'
import type { IssueCode, Repair } from '../issue.ts'
import { isWithinDepth } from '../json/depth.ts'
import { isJsonObject, type JsonObject } from '../json/value.ts'
import { DEFAULT_LIMITS } from '../options.ts'

export interface DecodeOptions extends JsonArgumentsOptions {
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

/**
 * Decodes arguments sent as an object, as JSON text, or not at all. Arguments that were cut off
 * are a fault even where they could be completed: half a command is not the command.
 */
export function decodeArguments(value: unknown, options: DecodeOptions): DecodedArguments {
  const decoded = typeof value === 'string' ? decodeText(value.trim(), options) : fromValue(value)
  const { maxDepth = DEFAULT_LIMITS.maxDepth } = options
  if (decoded.fault || isWithinDepth(decoded.value, maxDepth)) return decoded
  return fault('limit-exceeded', 'the arguments are nested too deeply')
}

function decodeText(text: string, options: DecodeOptions): DecodedArguments {
  if (text === '') return NOTHING
  const { value, complete, repairs } = readJsonArguments(text, options)
  if (value === undefined || (repairs.length > 0 && !isJsonObject(value))) {
    return fault('invalid-json', 'the arguments are not JSON and could not be repaired')
  }
  // Another object is the arguments of another call: one of several that a server ran together.
  const rest = repairs.at(-1)
  if (rest?.code === 'dropped-text' && /^[,;\s]*\{/.test(rest.before ?? '')) {
    return fault('invalid-json', 'the arguments of several calls run together')
  }
  if (!complete) return fault('truncated-call', 'the arguments end before they are complete')
  const decoded = fromValue(value)
  if (!decoded.fault && isLost(decoded.value, repairs)) {
    return fault('invalid-arguments', ARGUMENTS_LOST)
  }
  return decoded.fault ? decoded : { ...decoded, repairs }
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
