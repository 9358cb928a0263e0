/** A chat server whose template is as strict as those of open models are, and that says what it is asked. */
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import { type FakeProviders, fakeProviders, sseResponse } from './gateway-send.ts'

export interface StrictOptions {
  /** Fields of a message that are refused. */
  readonly refuses?: readonly string[]
  /** The field in which replies have reasoning. */
  readonly reasons?: string
  /** Fields of a request that are refused. */
  readonly lacks?: readonly string[]
}

export function strictServer({
  refuses = [],
  reasons,
  lacks = [],
}: StrictOptions = {}): FakeProviders {
  return fakeProviders(({ body, url }) => {
    const problem = faultOf(body, refuses, lacks)
    if (problem) return Response.json({ error: { message: problem, code: 400 } }, { status: 400 })
    const message = { role: 'assistant', content: 'Done.', ...(reasons && { [reasons]: 'Hm.' }) }
    if (String(url).endsWith('/api/chat')) return ollamaReply(message, body['stream'] !== false)
    if (body['stream'] !== true) {
      return Response.json({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
    }
    const choices = [{ index: 0, delta: message, finish_reason: 'stop' }]
    return sseResponse(JSON.stringify({ choices }), '[DONE]')
  })
}

function ollamaReply(message: JsonObject, isStream: boolean): Response {
  const type = isStream ? 'application/x-ndjson' : 'application/json'
  const text = `${JSON.stringify({ message, done: true, done_reason: 'stop' })}\n`
  return new Response(text, { headers: { 'content-type': type } })
}

const ROLES = ['system', 'user', 'assistant', 'tool']

function faultOf(
  body: JsonObject,
  refuses: readonly string[],
  lacks: readonly string[],
): string | undefined {
  const messages = messagesOf(body)
  if (messages.some(({ role }) => !ROLES.includes(String(role)))) return 'Unexpected message role.'
  if (messages.slice(1).some(({ role }) => role === 'system')) {
    return 'System message must be at the beginning.'
  }
  const field = refuses.find((name) => messages.some((message) => name in message))
  if (field) return `messages.assistant.${field}: Extra inputs are not permitted`
  const missing = lacks.find((name) => name in body)
  return missing && `Unrecognized request argument supplied: ${missing}`
}

/** The messages of a request. */
export function messagesOf({ messages }: JsonObject): JsonObject[] {
  return (Array.isArray(messages) ? messages : []).filter(isJsonObject)
}
