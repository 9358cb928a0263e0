/** Z.AI (Zhipu): GLM. Arguments are streamed only when asked for, and the model is free in its choice. */
import { usualApis } from './apis.ts'
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const zai: Provider<'zai'> = {
  id: 'zai',
  name: 'Z.AI',
  aliases: ['glm', 'zhipu', 'zhipu-ai', 'bigmodel'],
  ...chatService('https://api.z.ai/api/paas/v4', 'ZAI_API_KEY', 'ZHIPU_API_KEY'),
  quirks: {
    ...OPEN_TEMPLATES,
    settings: NOT_OPENAI,
    reasoning: 'thinking',
    maxTokensField: 'max_tokens',
    toolChoices: ['auto'],
    strict: false,
    parallel: false,
    streamUsage: false,
    reasoningField: 'reasoning_content',
    fields: { tool_stream: true },
  },
  apis: usualApis('openai-embeddings', 'openai-images'),
  docs: 'https://docs.z.ai/api-reference/llm/chat-completion',
}
