/** Anthropic. */
import { NATIVE } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const anthropic: Provider<'anthropic'> = {
  id: 'anthropic',
  name: 'Anthropic',
  dialect: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  paths: { chat: '/v1/messages', models: '/v1/models' },
  auth: [{ scheme: 'header', header: 'x-api-key' }],
  keyVariables: ['ANTHROPIC_API_KEY'],
  headers: { 'anthropic-version': '2023-06-01' },
  capabilities: NATIVE,
  docs: 'https://platform.claude.com/docs/en/api/messages',
}
