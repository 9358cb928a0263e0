/** Groq. It checks calls itself and refuses the ones it cannot read, with what the model wrote. */
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const groq: Provider<'groq'> = {
  id: 'groq',
  name: 'Groq',
  ...chatService('https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  quirks: { ...OPEN_TEMPLATES, reasoningField: 'reasoning', settings: NOT_OPENAI },
  failedReply: ['error', 'failed_generation'],
  docs: 'https://console.groq.com/docs/api-reference',
}
