/** Fireworks AI. */
import { usualApis } from './apis.ts'
import { chatService, OPEN_SAMPLING, OPEN_TEMPLATES, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const fireworks: Provider<'fireworks'> = {
  id: 'fireworks',
  name: 'Fireworks AI',
  ...chatService('https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
  capabilities: PER_MODEL,
  quirks: {
    ...OPEN_TEMPLATES,
    maxTokensField: 'max_tokens',
    settings: OPEN_SAMPLING,
    reasoningField: 'reasoning_content',
  },
  apis: usualApis('openai-embeddings', 'openai-completions', 'rerank'),
  docs: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
}
