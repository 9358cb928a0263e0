/** Anthropic. */
import type { JsonObject } from '../core/json/value.ts'
import { ANTHROPIC_FEATURES } from './anthropic-features.ts'
import { NATIVE } from './chat-service.ts'
import { at, count, facts, flag, type ModelFacts } from './model-info.ts'
import type { Provider } from './provider.ts'

export const anthropic: Provider<'anthropic'> = {
  id: 'anthropic',
  name: 'Anthropic',
  aliases: ['claude', 'claude-ai'],
  dialect: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  paths: { chat: '/v1/messages', models: '/v1/models' },
  auth: [
    { scheme: 'header', header: 'x-api-key' },
    {
      scheme: 'bearer',
      setting: 'authToken',
      keys: /^sk-ant-oat/,
      headers: { 'anthropic-beta': 'oauth-2025-04-20' },
    },
  ],
  keyVariables: ['ANTHROPIC_API_KEY'],
  settings: {
    authToken: {
      about: 'an OAuth token, which is sent instead of a key',
      variables: ['ANTHROPIC_AUTH_TOKEN'],
      secret: true,
      optional: true,
    },
  },
  headers: { 'anthropic-version': '2023-06-01' },
  capabilities: NATIVE,
  // Many local servers speak the dialect as well: at another address, the models are not Anthropic's.
  routes: [{ models: /^(?!.*claude)/i, quirks: { lacks: ANTHROPIC_FEATURES } }],
  modelInfo: {
    one: { path: '/v1/models/{model}', method: 'GET' },
    list: { path: '/v1/models?limit=1000', id: 'id' },
    read: readListed,
  },
  docs: 'https://platform.claude.com/docs/en/api/messages',
}

function readListed(entry: JsonObject): ModelFacts {
  return facts({
    contextWindow: count(entry['max_input_tokens']),
    maxOutputTokens: count(entry['max_tokens']),
    vision: flag(at(entry, 'capabilities', 'image_input', 'supported')),
    reasoning: flag(at(entry, 'capabilities', 'thinking', 'supported')),
  })
}
