/** Ollama, through its own API. It has no choice of tools: see the dialect. */
import { BEARER, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const ollama: Provider<'ollama'> = {
  id: 'ollama',
  name: 'Ollama',
  dialect: 'ollama',
  baseUrl: 'http://127.0.0.1:11434',
  baseUrlVariables: ['OLLAMA_HOST'],
  paths: { chat: '/api/chat', models: '/api/tags' },
  auth: BEARER,
  keyVariables: ['OLLAMA_API_KEY'],
  keyOptional: true,
  capabilities: PER_MODEL,
  quirks: { toolChoices: ['auto'] },
  docs: 'https://docs.ollama.com/api/chat',
}
