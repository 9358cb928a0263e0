/** Moonshot: Kimi. Its models think unless told not to, and then no choice of tools can be forced. */
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const moonshot: Provider<'moonshot'> = {
  id: 'moonshot',
  name: 'Moonshot AI',
  aliases: ['kimi'],
  ...chatService('https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'),
  quirks: {
    ...OPEN_TEMPLATES,
    settings: NOT_OPENAI,
    reasoning: 'thinking',
    maxTokensField: 'max_tokens',
    toolChoices: ['auto', 'none'],
    reasoningField: 'reasoning_content',
    reasoningRequired: true,
    textContent: true,
  },
  docs: 'https://platform.moonshot.ai/docs/api/chat',
}
