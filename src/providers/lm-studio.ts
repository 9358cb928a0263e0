/** LM Studio. */
import { localServer } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const lmStudio: Provider<'lm-studio'> = {
  id: 'lm-studio',
  name: 'LM Studio',
  ...localServer('http://127.0.0.1:1234/v1', 'LM_STUDIO_API_KEY'),
  docs: 'https://lmstudio.ai/docs/app/api',
}
