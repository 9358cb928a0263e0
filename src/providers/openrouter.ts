/** OpenRouter: many services behind one. What they cache is marked as Anthropic wants it, where it must be. */
import { chatService, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

const QUIRKS: NonNullable<Provider['quirks']> = {
  maxTokensField: 'max_tokens',
  reasoningField: 'reasoning_details',
}

export const openrouter: Provider<'openrouter'> = {
  id: 'openrouter',
  name: 'OpenRouter',
  ...chatService('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  capabilities: PER_MODEL,
  quirks: QUIRKS,
  routes: [{ models: /^(?:anthropic|google)\//, quirks: { ...QUIRKS, cacheControl: true } }],
  docs: 'https://openrouter.ai/docs/api-reference/chat-completion',
}
