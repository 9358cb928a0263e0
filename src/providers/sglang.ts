/** SGLang; tools need `--tool-call-parser`. */
import { usualApis } from './apis.ts'
import { localServer } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const sglang: Provider<'sglang'> = {
  id: 'sglang',
  name: 'SGLang',
  ...localServer('http://127.0.0.1:30000/v1', 'SGLANG_API_KEY'),
  apis: usualApis('openai-embeddings', 'openai-completions', 'openai-transcriptions', 'rerank'),
  docs: 'https://docs.sglang.ai',
}
