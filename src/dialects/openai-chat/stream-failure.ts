/** Errors after a stream has begun: the status was 200. */
import type { StreamFailure } from '../../core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'

const UNTOLD = 'the provider reports a failure'

/**
 * The failure that a chunk tells: as `error`, an object or a text; as an object of its own (vLLM,
 * Mistral); or, with MiniMax, as a status beside an empty reply.
 */
export function failureOf(chunk: JsonObject): StreamFailure | undefined {
  const { error, object, base_resp: base } = chunk as Record<string, JsonValue | undefined>
  if (typeof error === 'string') return told({ ...chunk, message: error })
  if (isJsonObject(error)) return told(error)
  if (object === 'error') return told(chunk)
  if (!isJsonObject(base) || !base['status_code']) return undefined
  return told({ message: base['status_msg'] ?? UNTOLD, code: String(base['status_code']) })
}

function told(error: JsonObject): StreamFailure {
  const { message, code, type } = error as Record<string, JsonValue | undefined>
  const word = [code, type].find((value) => typeof value === 'string' && value !== '')
  const status = Number(code)
  return {
    message: typeof message === 'string' ? message : UNTOLD,
    ...(typeof word === 'string' && { code: word }),
    ...(status >= 400 && status < 600 && { status }),
  }
}
