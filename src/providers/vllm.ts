/** vLLM; tools need `--enable-auto-tool-choice` and `--tool-call-parser`. */
import { usualApis } from './apis.ts'
import { LOCAL_QUIRKS, localServer } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const vllm: Provider<'vllm'> = {
  id: 'vllm',
  name: 'vLLM',
  ...localServer('http://127.0.0.1:8000/v1', 'VLLM_API_KEY'),
  // Since version 0.16. Replies of earlier ones have `reasoning_content`, which then goes back.
  quirks: { ...LOCAL_QUIRKS, reasoningField: 'reasoning' },
  apis: {
    ...usualApis(
      'openai-embeddings',
      'openai-completions',
      'openai-speech',
      'openai-transcriptions',
      'openai-translations',
      'openai-images',
      'openai-image-edits',
      'rerank',
    ),
    tokenize: '/../tokenize',
    detokenize: '/../detokenize',
  },
  docs: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
}
