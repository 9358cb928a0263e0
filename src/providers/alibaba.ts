/** Alibaba Cloud Model Studio (DashScope): Qwen. */
import { chatService } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const alibaba: Provider<'alibaba'> = {
  id: 'alibaba',
  name: 'Alibaba (Qwen)',
  ...chatService(
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    'DASHSCOPE_API_KEY',
    'ALIBABA_API_KEY',
  ),
  quirks: { maxTokensField: 'max_tokens', reasoningField: 'reasoning_content' },
  docs: 'https://www.alibabacloud.com/help/en/model-studio',
}
