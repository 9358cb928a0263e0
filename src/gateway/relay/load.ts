/**
 * Ollama's requests that ask for no words: without a prompt or messages they load a model into memory, and unload it
 * with `keep_alive: 0`. Providers that have no such thing need no loading, so such a request has nothing to do there.
 */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'

export function asksToLoad(path: string, body: JsonObject): boolean {
  if (path === '/api/chat') return isEmpty(body['messages'])
  return path === '/api/generate' && isEmpty(body['prompt']) && isEmpty(body['images'])
}

function isEmpty(value: JsonValue | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}

/** What Ollama answers. */
export function loadReply(path: string, body: JsonObject, model: string, at: number): JsonObject {
  const words =
    path === '/api/chat' ? { message: { role: 'assistant', content: '' } } : { response: '' }
  return {
    model,
    created_at: new Date(at).toISOString(),
    ...words,
    done: true,
    done_reason: isZero(body['keep_alive']) ? 'unload' : 'load',
  }
}

/** A number of seconds, or a duration such as `0s`. */
function isZero(value: JsonValue | undefined): boolean {
  return value === 0 || (typeof value === 'string' && /^0+(?:\.0+)?[a-z]*$/.test(value))
}
