/** Together AI. */
import { usualApis } from './apis.ts'
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
  apis: usualApis(
    'openai-embeddings',
    'openai-completions',
    'openai-speech',
    'openai-transcriptions',
    'openai-translations',
    'openai-images',
    'rerank',
  ),
  docs: 'https://docs.together.ai/reference/chat-completions-1',
}
