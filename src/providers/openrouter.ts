/** OpenRouter: many services behind one. What they cache is marked as Anthropic wants it, where it must be. */

import type { JsonObject } from '../core/json/value.ts'
import { usualApis } from './apis.ts'
import { chatService, OPEN_SAMPLING, OPEN_TEMPLATES, PER_MODEL } from './chat-service.ts'
import { at, count, facts, lists, type ModelFacts } from './model-info.ts'
import type { Provider } from './provider.ts'

const QUIRKS: NonNullable<Provider['quirks']> = {
  ...OPEN_TEMPLATES,
  plugins: true,
  maxTokensField: 'max_tokens',
  reasoningField: 'reasoning_details',
  reasoning: 'reasoning',
  settings: { ...OPEN_SAMPLING, verbosity: 'verbosity' },
}

export const openrouter: Provider<'openrouter'> = {
  id: 'openrouter',
  name: 'OpenRouter',
  ...chatService('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  capabilities: PER_MODEL,
  settings: {
    httpReferer: {
      about: 'the address of the app that is calling, for its rankings',
      variables: ['OPENROUTER_HTTP_REFERER'],
      optional: true,
    },
    appTitle: {
      about: 'the name of the app that is calling',
      variables: ['OPENROUTER_APP_TITLE'],
      optional: true,
    },
    fallbackModels: {
      about: 'models to try after the first, with commas between them',
      variables: ['OPENROUTER_FALLBACK_MODELS'],
      optional: true,
    },
    providerOrder: {
      about: 'services to try in this order, with commas between them',
      variables: ['OPENROUTER_PROVIDER_ORDER'],
      optional: true,
    },
    transforms: {
      about: 'changes to prompts that are too long, such as middle-out',
      variables: ['OPENROUTER_TRANSFORMS'],
      optional: true,
    },
    tools: {
      about: 'tool definitions, as JSON, for requests that bring none',
      variables: ['OPENROUTER_TOOLS'],
      optional: true,
    },
  },
  headers: {
    'http-referer': '{httpReferer}',
    'x-openrouter-title': '{appTitle}',
    // The name of before, which is still read.
    'x-title': '{appTitle}',
  },
  bodySettings: [
    { setting: 'fallbackModels', path: ['models'], as: 'list' },
    { setting: 'providerOrder', path: ['provider', 'order'], as: 'list' },
    { setting: 'transforms', path: ['transforms'], as: 'list' },
  ],
  toolsSetting: 'tools',
  quirks: QUIRKS,
  routes: [{ models: /^(?:anthropic|google)\//, quirks: { ...QUIRKS, cacheControl: true } }],
  modelInfo: { list: { id: 'id' }, tellsTools: true, read: readListed },
  apis: usualApis('openai-embeddings', 'openai-completions'),
  docs: 'https://openrouter.ai/docs/api-reference/chat-completion',
}

function readListed(entry: JsonObject): ModelFacts {
  const { supported_parameters: parameters } = entry
  return facts({
    nativeTools: lists(parameters, 'tools'),
    reasoning: lists(parameters, 'reasoning'),
    vision: lists(at(entry, 'architecture', 'input_modalities'), 'image'),
    contextWindow:
      count(at(entry, 'top_provider', 'context_length')) ?? count(entry['context_length']),
    maxOutputTokens: count(at(entry, 'top_provider', 'max_completion_tokens')),
  })
}
