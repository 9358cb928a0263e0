/**
 * `POST /api/generate`: one prompt and no conversation, answered through the same models as chat. Where all providers of
 * the model are Ollama servers, the request is passed on instead: see `relay/shared-paths.ts`.
 */
import { asGenerated, generatedFrame, promptAsChat } from '../../dialects/ollama/generate.ts'
import type { Endpoint } from './endpoint.ts'
import { keepAliveLine, ollamaEndpoint } from './ollama.ts'

export const ollamaGenerateEndpoint: Endpoint = {
  ...ollamaEndpoint,
  id: 'ollama-generate',
  path: /^\/api\/generate$/,
  read: (body, sight) => ollamaEndpoint.read(promptAsChat(body), sight),
  passes: () => false,
  writeReply: (response, facts) => asGenerated(ollamaEndpoint.writeReply(response, facts)),
  openStream(sight, facts) {
    const stream = ollamaEndpoint.openStream(sight, facts)
    const { encoder } = stream
    return {
      ...stream,
      encoder: { push: (event) => encoder.push(event).map(generatedFrame) },
      keepAlive: keepAliveLine(facts, { response: '' }),
    }
  },
}
