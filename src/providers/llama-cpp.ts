/** llama.cpp's server; tools need its option `--jinja`. */

import type { JsonObject } from '../core/json/value.ts'
import { usualApis } from './apis.ts'
import { localServer } from './chat-service.ts'
import { at, count, facts, flag, type ModelFacts } from './model-info.ts'
import type { Provider } from './provider.ts'

export const llamaCpp: Provider<'llama-cpp'> = {
  id: 'llama-cpp',
  name: 'llama.cpp',
  aliases: ['llama-server'],
  ...localServer('http://127.0.0.1:8080/v1', 'LLAMA_API_KEY'),
  modelInfo: {
    one: { path: '/../props', method: 'GET' },
    list: { id: 'id' },
    read: readProps,
  },
  apis: {
    ...usualApis('openai-embeddings', 'openai-completions', 'openai-transcriptions', 'rerank'),
    'llama-infill': '/../infill',
    tokenize: '/../tokenize',
    detokenize: '/../detokenize',
  },
  docs: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
}

/** An entry of the list has the window that the model was trained with, `/props` the one it is run with. */
function readProps(entry: JsonObject): ModelFacts {
  // A template without tools is no refusal: the server then has a format of its own.
  const hasTools = at(entry, 'chat_template_caps', 'supports_tools') === true
  return facts({
    contextWindow:
      count(at(entry, 'default_generation_settings', 'n_ctx')) ??
      count(at(entry, 'meta', 'n_ctx')) ??
      count(at(entry, 'meta', 'n_ctx_train')),
    vision: flag(at(entry, 'modalities', 'vision')),
    nativeTools: hasTools ? true : undefined,
  })
}
