/** MiniMax through its Anthropic-compatible interface. */
import { ANTHROPIC_FEATURES } from './anthropic-features.ts'
import { BEARER, NATIVE } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const minimaxAnthropic: Provider<'minimax-anthropic'> = {
  id: 'minimax-anthropic',
  name: 'MiniMax (Anthropic mode)',
  dialect: 'anthropic',
  baseUrl: 'https://api.minimax.io/anthropic',
  paths: { chat: '/v1/messages' },
  auth: BEARER,
  keyVariables: ['MINIMAX_API_KEY'],
  headers: { 'anthropic-version': '2023-06-01' },
  capabilities: NATIVE,
  quirks: { strict: false, parallel: false, lacks: ANTHROPIC_FEATURES },
  docs: 'https://platform.minimax.io/docs/api-reference/text-anthropic-api',
}
