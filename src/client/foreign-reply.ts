/** Replies in the format of another API than the one that was asked, as some proxies and servers send them. */
import type { ChatResponse } from '../core/chat.ts'
import type { DecodeResponseOptions, Dialect } from '../core/dialect.ts'
import { isJsonObject } from '../core/json/value.ts'
import { allDialects } from '../dialects/registry.ts'

/** The reply, read by the dialect that recognises it, with an issue that says so; undefined if none does. */
export function decodeForeign(
  body: unknown,
  asked: Pick<Dialect, 'id'>,
  options: DecodeResponseOptions,
): ChatResponse | undefined {
  if (!isJsonObject(body)) return undefined
  const dialect = allDialects.find(
    ({ id, shapeOf }) => id !== asked.id && shapeOf(body) === 'response',
  )
  const reply = dialect?.decodeResponse(body, options)
  if (!dialect || !reply || reply.error) return undefined
  const message = `the provider was asked as ${asked.id} and answered as ${dialect.id}; the reply was read as ${dialect.id}`
  return { ...reply, issues: [{ code: 'invalid-response', message }, ...reply.issues] }
}
