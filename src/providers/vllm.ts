/** vLLM; tools need `--enable-auto-tool-choice` and `--tool-call-parser`. */
import { localServer } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const vllm: Provider<'vllm'> = {
  id: 'vllm',
  name: 'vLLM',
  ...localServer('http://127.0.0.1:8000/v1', 'VLLM_API_KEY'),
  docs: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
}
