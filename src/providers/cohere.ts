/** Cohere, version 2 of its chat API. */
import { BEARER, NATIVE } from './chat-service.ts'
import { count, facts, lists } from './model-info.ts'
import type { Provider } from './provider.ts'

export const cohere: Provider<'cohere'> = {
  id: 'cohere',
  name: 'Cohere',
  aliases: ['cohere-v2'],
  dialect: 'cohere',
  baseUrl: 'https://api.cohere.com',
  paths: { chat: '/v2/chat', models: '/v1/models' },
  auth: BEARER,
  keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
  capabilities: NATIVE,
  modelInfo: {
    one: { path: '/v1/models/{model}', method: 'GET' },
    list: { path: '/v1/models?page_size=1000', id: 'name' },
    read: (entry) =>
      facts({
        contextWindow: count(entry['context_length']),
        vision: lists(entry['features'], 'vision'),
      }),
  },
  apis: { 'openai-embeddings': '/compatibility/v1/embeddings', rerank: '/v2/rerank' },
  docs: 'https://docs.cohere.com/reference/chat',
}
