/** Cohere, version 2 of its chat API. */
import { BEARER, NATIVE } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const cohere: Provider<'cohere'> = {
  id: 'cohere',
  name: 'Cohere',
  dialect: 'cohere',
  baseUrl: 'https://api.cohere.com',
  paths: { chat: '/v2/chat', models: '/v1/models' },
  auth: BEARER,
  keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
  capabilities: NATIVE,
  docs: 'https://docs.cohere.com/reference/chat',
}
