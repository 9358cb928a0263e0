/** NVIDIA's hosted models. */
import { usualApis } from './apis.ts'
import { chatService, NOT_OPENAI, OPEN_TEMPLATES, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const nvidia: Provider<'nvidia'> = {
  id: 'nvidia',
  name: 'NVIDIA NIM',
  aliases: ['nim'],
  ...chatService('https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY'),
  capabilities: PER_MODEL,
  quirks: {
    ...OPEN_TEMPLATES,
    maxTokensField: 'max_tokens',
    settings: NOT_OPENAI,
    reasoning: 'none',
  },
  apis: usualApis('openai-embeddings'),
  docs: 'https://docs.api.nvidia.com/nim/reference/llm-apis',
}
