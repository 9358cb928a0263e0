/** xAI: Grok. Calls come whole, also in streams. */
import { chatService } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const xai: Provider<'xai'> = {
  id: 'xai',
  name: 'xAI',
  ...chatService('https://api.x.ai/v1', 'XAI_API_KEY'),
  quirks: { strict: false, schemaWithout: ['additionalProperties'] },
  docs: 'https://docs.x.ai/docs/api-reference',
}
