/** Failures that Bedrock tells inside a stream, each a frame with the name of an exception. */
import type { StreamFailure } from '../../core/chat.ts'
import type { Frame } from '../../core/dialect.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'

const STATUS: ReadonlyMap<string, number> = new Map([
  ['validationException', 400],
  ['modelTimeoutException', 408],
  ['modelStreamErrorException', 424],
  ['throttlingException', 429],
  ['internalServerException', 500],
  ['serviceUnavailableException', 503],
])
const FAILURE = /(?:exception|error|failure)$/i

/** What a frame of this name reports; undefined when it is no failure. */
export function failureOf(event: string, data: JsonObject): StreamFailure | undefined {
  if (!FAILURE.test(event)) return undefined
  const { message, Message: told = message, code } = data as Record<string, JsonValue | undefined>
  const { originalStatusCode: original } = data
  const name = typeof code === 'string' ? code : event
  // Some services begin the names with a capital.
  const known = STATUS.get(name.charAt(0).toLowerCase() + name.slice(1))
  const status = typeof original === 'number' ? original : known
  return {
    message: typeof told === 'string' ? told : 'the provider reports a failure',
    code: name,
    ...(status !== undefined && { status }),
  }
}

export function encodeFailure({ message, code = '', status }: StreamFailure): Frame {
  const byStatus = [...STATUS].find(([, known]) => known === status)?.[0]
  const event = STATUS.has(code) ? code : (byStatus ?? 'internalServerException')
  return { event, data: JSON.stringify({ message }) }
}
