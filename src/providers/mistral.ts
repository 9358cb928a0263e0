/** Mistral AI. */

import type { JsonObject } from '../core/json/value.ts'
import { usualApis } from './apis.ts'
import { chatService } from './chat-service.ts'
import { at, count, facts, flag, type ModelFacts } from './model-info.ts'
import type { Provider } from './provider.ts'

export const mistral: Provider<'mistral'> = {
  id: 'mistral',
  name: 'Mistral AI',
  aliases: ['mistralai', 'la-plateforme'],
  ...chatService('https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  dialect: 'mistral',
  // A system message after any other is refused: "Unexpected role 'system' after role 'user'".
  quirks: { systemMessages: 'first' },
  modelInfo: { list: { id: 'id' }, tellsTools: true, read: readListed },
  apis: {
    ...usualApis('openai-embeddings', 'openai-moderations', 'openai-transcriptions'),
    'mistral-fim': '/fim/completions',
  },
  docs: 'https://docs.mistral.ai/api',
}

function readListed(entry: JsonObject): ModelFacts {
  return facts({
    nativeTools: flag(at(entry, 'capabilities', 'function_calling')),
    vision: flag(at(entry, 'capabilities', 'vision')),
    contextWindow: count(entry['max_context_length']),
  })
}
