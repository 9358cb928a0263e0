/** Cerebras. */
import { usualApis } from './apis.ts'
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const cerebras: Provider<'cerebras'> = {
  id: 'cerebras',
  name: 'Cerebras',
  ...chatService('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'),
  quirks: { ...OPEN_TEMPLATES, reasoningField: 'reasoning', settings: NOT_OPENAI },
  apis: usualApis('openai-completions'),
  docs: 'https://inference-docs.cerebras.ai/api-reference/chat-completions',
}
