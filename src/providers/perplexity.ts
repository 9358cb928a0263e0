/** Perplexity. Its models search the web and take no tools: they are told of them in words. */
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const perplexity: Provider<'perplexity'> = {
  id: 'perplexity',
  name: 'Perplexity',
  aliases: ['pplx', 'sonar'],
  ...chatService('https://api.perplexity.ai', 'PERPLEXITY_API_KEY'),
  paths: { chat: '/chat/completions' },
  capabilities: { nativeTools: false, streamsTools: false },
  quirks: {
    ...OPEN_TEMPLATES,
    maxTokensField: 'max_tokens',
    streamUsage: false,
    settings: NOT_OPENAI,
  },
  docs: 'https://docs.perplexity.ai/api-reference',
}
