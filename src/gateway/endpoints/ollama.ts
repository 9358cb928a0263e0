/** `POST /api/chat` */
import type { Overlong } from '../../client/context-overflow.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { ollama } from '../../dialects/ollama.ts'
import { chatEndpoint, named, sight } from './chat-endpoint.ts'
import type { Endpoint, ReplyFacts } from './endpoint.ts'

const usual: Endpoint = chatEndpoint(ollama, {
  id: 'ollama',
  path: /^\/api\/chat$/,
  listedAt: 'GET /api/tags',
  // Ollama streams unless it is told not to.
  sight: (body, place) => ({ ...sight(body, place), streamed: body['stream'] !== false }),
  writeReply: (response, facts) => ({
    ...ollama.encodeResponse(named(response, facts)),
    created_at: createdAt(facts),
  }),
  writeError: ({ message }) => ({ error: message }),
  overflowMessage: ollamaOverflow,
  complete: /"done"\s*:\s*true|"error"\s*:/,
})

export const ollamaEndpoint: Endpoint = {
  ...usual,
  openStream: (sight, facts) => ({
    ...usual.openStream(sight, facts),
    keepAlive: keepAliveLine(facts, { message: { role: 'assistant', content: '' } }),
  }),
}

/** A chunk without text: Ollama's clients take each line for JSON, so that an empty line would end the stream. */
export function keepAliveLine(facts: ReplyFacts, empty: JsonObject): string {
  const chunk = { model: facts.model, created_at: createdAt(facts), ...empty, done: false }
  return `${JSON.stringify(chunk)}\n`
}

function createdAt({ created }: ReplyFacts): string {
  return new Date(created * 1000).toISOString()
}

function ollamaOverflow(message: string, part: Overlong | undefined): string {
  if (!part) return `prompt too long; exceeded context length: ${message}`
  const { prompt, output, limit } = part
  return `prompt too long; exceeded max context length by ${prompt + output - limit} tokens`
}
