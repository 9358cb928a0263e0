/** DeepSeek. Turns with calls must come back with their reasoning. */
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const deepseek: Provider<'deepseek'> = {
  id: 'deepseek',
  name: 'DeepSeek',
  ...chatService('https://api.deepseek.com', 'DEEPSEEK_API_KEY'),
  quirks: {
    ...OPEN_TEMPLATES,
    settings: NOT_OPENAI,
    reasoning: 'thinking',
    maxTokensField: 'max_tokens',
    strict: false,
    parallel: false,
    textContent: true,
    reasoningField: 'reasoning_content',
    reasoningRequired: true,
  },
  apis: { 'openai-completions': '/beta/completions' },
  docs: 'https://api-docs.deepseek.com',
}
