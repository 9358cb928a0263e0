/** Together AI. */
import { chatService, OPEN_SAMPLING, OPEN_TEMPLATES, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const together: Provider<'together'> = {
  id: 'together',
  name: 'Together AI',
  ...chatService('https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  capabilities: PER_MODEL,
  quirks: {
    ...OPEN_TEMPLATES,
    maxTokensField: 'max_tokens',
    settings: OPEN_SAMPLING,
    reasoningField: 'reasoning',
  },
  docs: 'https://docs.together.ai/reference/chat-completions-1',
}
