/** Hugging Face's router to the services that run a model. */
import { chatService, NOT_OPENAI, OPEN_TEMPLATES, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const huggingFace: Provider<'hugging-face'> = {
  id: 'hugging-face',
  name: 'Hugging Face',
  aliases: ['hf'],
  ...chatService('https://router.huggingface.co/v1', 'HF_TOKEN', 'HUGGINGFACE_API_KEY'),
  capabilities: PER_MODEL,
  quirks: { ...OPEN_TEMPLATES, maxTokensField: 'max_tokens', settings: NOT_OPENAI },
  docs: 'https://huggingface.co/docs/inference-providers',
}
