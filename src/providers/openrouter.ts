/** OpenRouter: many services behind one. */
import { chatService, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const openrouter: Provider<'openrouter'> = {
  id: 'openrouter',
  name: 'OpenRouter',
  ...chatService('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  capabilities: PER_MODEL,
  quirks: { maxTokensField: 'max_tokens', reasoningField: 'reasoning_details' },
  docs: 'https://openrouter.ai/docs/api-reference/chat-completion',
}
