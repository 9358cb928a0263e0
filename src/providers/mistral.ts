/** Mistral AI. */
import { chatService } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const mistral: Provider<'mistral'> = {
  id: 'mistral',
  name: 'Mistral AI',
  ...chatService('https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  dialect: 'mistral',
  docs: 'https://docs.mistral.ai/api',
}
