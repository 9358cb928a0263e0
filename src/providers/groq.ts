/** Groq. It checks calls itself and refuses the ones it cannot read, with what the model wrote. */
import { usualApis } from './apis.ts'
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const groq: Provider<'groq'> = {
  id: 'groq',
  name: 'Groq',
  ...chatService('https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  quirks: { ...OPEN_TEMPLATES, reasoningField: 'reasoning', settings: NOT_OPENAI },
  failedReply: ['error', 'failed_generation'],
  apis: usualApis('openai-speech', 'openai-transcriptions', 'openai-translations'),
  docs: 'https://console.groq.com/docs/api-reference',
}
