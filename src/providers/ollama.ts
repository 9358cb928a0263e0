/** Ollama, through its own API. It has no choice of tools: see the dialect. */
import type { JsonObject } from '../core/json/value.ts'
import { BEARER, PER_MODEL } from './chat-service.ts'
import { at, count, facts, lists, type ModelFacts } from './model-info.ts'
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
  selfHosted: true,
  capabilities: PER_MODEL,
  quirks: { toolChoices: ['auto'], systemMessages: 'first' },
  modelInfo: {
    one: { path: '/api/show', method: 'POST' },
    list: { id: 'name' },
    tellsTools: true,
    read: readShown,
  },
  apis: {
    'ollama-generate': '/api/generate',
    'ollama-chat': '/api/chat',
    'ollama-embed': '/api/embed',
    'ollama-embeddings': '/api/embeddings',
    'ollama-pull': '/api/pull',
    'ollama-push': '/api/push',
    'ollama-create': '/api/create',
    'ollama-copy': '/api/copy',
    'ollama-delete': '/api/delete',
    'ollama-blobs': '/api/blobs',
    'ollama-ps': '/api/ps',
    'ollama-version': '/api/version',
  },
  docs: 'https://docs.ollama.com/api/chat',
}

function readShown(shown: JsonObject): ModelFacts {
  const { capabilities, parameters } = shown
  const architecture = at(shown, 'model_info', 'general.architecture')
  const trained = count(at(shown, 'model_info', `${String(architecture)}.context_length`))
  // What the model is run with, if its file says so; the server's own default is not told.
  const set = count(Number(/^num_ctx\s+(\d+)\s*$/m.exec(String(parameters))?.[1]))
  return facts({
    nativeTools: lists(capabilities, 'tools'),
    vision: lists(capabilities, 'vision'),
    reasoning: lists(capabilities, 'thinking'),
    contextWindow:
      set !== undefined && trained !== undefined ? Math.min(set, trained) : (set ?? trained),
  })
}
