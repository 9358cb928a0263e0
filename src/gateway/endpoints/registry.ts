/** All endpoints that answer with a model's words. */

import { anthropicEndpoint } from './anthropic.ts'
import type { Endpoint } from './endpoint.ts'
import { type FoundByPath, findByPath } from './find-by-path.ts'
import { geminiEndpoint } from './gemini.ts'
import { googleInteractionsEndpoint } from './google-interactions.ts'
import { ollamaEndpoint } from './ollama.ts'
import { ollamaGenerateEndpoint } from './ollama-generate.ts'
import { openaiChatEndpoint } from './openai-chat.ts'
import { openaiResponsesEndpoint, responsesCompactEndpoint } from './openai-responses.ts'

const ENDPOINTS: readonly Endpoint[] = [
  openaiChatEndpoint,
  openaiResponsesEndpoint,
  responsesCompactEndpoint,
  anthropicEndpoint,
  ollamaEndpoint,
  ollamaGenerateEndpoint,
  geminiEndpoint,
  googleInteractionsEndpoint,
]

export type FoundEndpoint = FoundByPath<Endpoint>

export function findEndpoint(path: string, query: URLSearchParams): FoundEndpoint | undefined {
  return findByPath(ENDPOINTS, path, query)
}

/** The endpoint whose errors a client at this path understands. */
export function errorsFor(path: string): Endpoint {
  const exact = ENDPOINTS.find((endpoint) => endpoint.path.test(path))
  if (exact) return exact
  if (path.startsWith('/api/')) return ollamaEndpoint
  if (/^\/v1(?:beta|alpha)\/|^\/v1\/models\/.+:[a-z]+[A-Z]/.test(path)) return geminiEndpoint
  return path.startsWith('/v1/messages') ? anthropicEndpoint : openaiChatEndpoint
}
