/** SGLang; tools need `--tool-call-parser`. */
import { localServer } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const sglang: Provider<'sglang'> = {
  id: 'sglang',
  name: 'SGLang',
  ...localServer('http://127.0.0.1:30000/v1', 'SGLANG_API_KEY'),
  docs: 'https://docs.sglang.ai',
}
