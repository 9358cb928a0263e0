/** LM Studio. */
import type { JsonObject } from '../core/json/value.ts'
import { localServer, OPEN_SERVER } from './chat-service.ts'
import { count, facts, lists, type ModelFacts } from './model-info.ts'
import type { Provider } from './provider.ts'

export const lmStudio: Provider<'lm-studio'> = {
  id: 'lm-studio',
  name: 'LM Studio',
  ...localServer('http://127.0.0.1:1234/v1', 'LM_STUDIO_API_KEY'),
  quirks: OPEN_SERVER,
  // Its replies have the reasoning of these models, and of no others, in this field.
  routes: [{ models: /gpt-oss/, quirks: { ...OPEN_SERVER, reasoningField: 'reasoning' } }],
  modelInfo: { list: { path: '/../api/v0/models', id: 'id' }, read: readListed },
  docs: 'https://lmstudio.ai/docs/app/api',
}

function readListed(entry: JsonObject): ModelFacts {
  const { type, capabilities } = entry
  return facts({
    contextWindow: count(entry['loaded_context_length']) ?? count(entry['max_context_length']),
    vision: typeof type === 'string' ? type === 'vlm' : undefined,
    // Other models get tools in a format of the server's own.
    nativeTools: lists(capabilities, 'tool_use') || undefined,
  })
}
