/** llama.cpp's server; tools need its option `--jinja`. */
import { localServer } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const llamaCpp: Provider<'llama-cpp'> = {
  id: 'llama-cpp',
  name: 'llama.cpp',
  ...localServer('http://127.0.0.1:8080/v1', 'LLAMA_API_KEY'),
  docs: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
}
