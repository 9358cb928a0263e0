/** Alibaba Cloud Model Studio (DashScope): Qwen. */
import { usualApis } from './apis.ts'
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const alibaba: Provider<'alibaba'> = {
  id: 'alibaba',
  name: 'Alibaba (Qwen)',
  aliases: ['qwen', 'dashscope', 'tongyi'],
  ...chatService(
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    'DASHSCOPE_API_KEY',
    'ALIBABA_API_KEY',
  ),
  quirks: {
    ...OPEN_TEMPLATES,
    maxTokensField: 'max_tokens',
    settings: { ...NOT_OPENAI, topK: 'top_k' },
    reasoning: 'enable_thinking',
    reasoningField: 'reasoning_content',
  },
  apis: usualApis('openai-embeddings', 'openai-completions'),
  docs: 'https://www.alibabacloud.com/help/en/model-studio',
}
