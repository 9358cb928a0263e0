/** `POST /api/chat` */
import { ollama } from '../../dialects/ollama.ts'
import { chatEndpoint, named, sight } from './chat-endpoint.ts'
import type { Endpoint } from './endpoint.ts'

export const ollamaEndpoint: Endpoint = chatEndpoint(ollama, {
  id: 'ollama',
  path: /^\/api\/chat$/,
  // Ollama streams unless it is told not to.
  sight: (body, place) => ({ ...sight(body, place), streamed: body['stream'] !== false }),
  writeReply: (response, facts) => ({
    ...ollama.encodeResponse(named(response, facts)),
    created_at: new Date(facts.created * 1000).toISOString(),
  }),
  writeError: ({ message }) => ({ error: message }),
  complete: /"done"\s*:\s*true|"error"\s*:/,
})
