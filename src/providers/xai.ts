/** xAI: Grok. Calls come whole, also in streams. */
import { usualApis } from './apis.ts'
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const xai: Provider<'xai'> = {
  id: 'xai',
  name: 'xAI',
  aliases: ['grok'],
  ...chatService('https://api.x.ai/v1', 'XAI_API_KEY'),
  quirks: {
    ...OPEN_TEMPLATES,
    strict: false,
    schemaWithout: ['additionalProperties'],
    settings: NOT_OPENAI,
  },
  apis: usualApis('openai-images'),
  docs: 'https://docs.x.ai/docs/api-reference',
}
