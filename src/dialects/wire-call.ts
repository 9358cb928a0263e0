/** Tool calls on their way between replies and requests, alike in all dialects. */
import type { ParseToolCallsOptions, WireToolCall } from '../core/dialect.ts'
import { createIdMint } from '../core/ids.ts'
import type { JsonObject } from '../core/json/value.ts'
import { argumentsJson } from '../core/message.ts'
import { decodeArguments } from '../core/native/arguments.ts'
import { claimId } from '../core/native/claimed-id.ts'
import { type NativeCall, readNative } from '../core/native.ts'

/** A call with the form it came in. */
export interface ReadCall extends WireToolCall {
  readonly native: NativeCall
}

export interface ReadReply {
  /** Those that have a name, with ids that do not repeat. */
  readonly calls: readonly ReadCall[]
  readonly texts: readonly string[]
  readonly reasoning: string
}

/** Reads a reply of any dialect; a mere text is one, too. */
export function readReply(response: unknown, options?: ParseToolCallsOptions): ReadReply {
  if (typeof response === 'string') return { calls: [], texts: [response], reasoning: '' }
  const reply = readNative(response)
  if (!reply) return { calls: [], texts: [], reasoning: '' }
  return { ...reply, calls: nameCalls(reply.calls, options) }
}

/** The calls of a reply of any dialect, arguments as JSON text. */
export function parseWireCalls(response: unknown, options?: ParseToolCallsOptions): WireToolCall[] {
  return readReply(response, options).calls.map(({ native: _, ...call }) => call)
}

/** How a dialect writes what an assistant says, piece by piece. */
export interface TurnForm {
  readonly text: (text: string) => JsonObject
  readonly call: (call: ReadCall) => JsonObject
}

/** A reply as the pieces that go back: the dialect's own as they are, since some are signed. */
export function nativeTurn(
  response: unknown,
  own: readonly JsonObject[],
  form: TurnForm,
  textJoiner = '',
): JsonObject[] {
  if (own.length > 0) return [...own]
  const { calls, texts } = readReply(response)
  const text = texts.join(textJoiner)
  return [...(text === '' ? [] : [form.text(text)]), ...calls.map(form.call)]
}

/** Arguments for the dialects that want an object; what cannot be read is handed on as `raw`. */
export function argumentsObject({ native, arguments: text }: ReadCall): JsonObject {
  const decoded = decodeArguments(native.arguments, { repair: 'safe' })
  return decoded.fault ? { raw: text } : decoded.value
}

function nameCalls(
  natives: readonly NativeCall[],
  { usedIds = [], ...options }: ParseToolCallsOptions = {},
): ReadCall[] {
  const mint = createIdMint({ ...options, usedIds })
  return natives.flatMap((native, index) => {
    const { name } = native
    if (name === undefined) return []
    const { id } = claimId(mint, native, name, index, false)
    return [{ id, name, arguments: argumentsJson(sentArguments(native)), native }]
  })
}

// Both are there in a call of our own model. Its text is what the model wrote, but it goes back
// only when it was JSON to begin with: strict servers parse what they are sent.
function sentArguments({ rawArguments, arguments: args }: NativeCall): unknown {
  if (typeof args !== 'object' || rawArguments === undefined) return args
  return decodeArguments(rawArguments, { repair: 'off' }).fault ? args : rawArguments
}
