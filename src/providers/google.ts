/** Google's Gemini API. */
import type { JsonObject } from '../core/json/value.ts'
import { NATIVE } from './chat-service.ts'
import { count, facts, flag, type ModelFacts } from './model-info.ts'
import type { Provider } from './provider.ts'

export const google: Provider<'google'> = {
  id: 'google',
  name: 'Google Gemini',
  aliases: ['gemini', 'google-ai', 'google-genai', 'google-generative-ai', 'ai-studio'],
  dialect: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  paths: {
    chat: '/models/{model}:generateContent',
    stream: '/models/{model}:streamGenerateContent?alt=sse',
    models: '/models',
  },
  auth: [{ scheme: 'header', header: 'x-goog-api-key' }],
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  capabilities: NATIVE,
  modelInfo: {
    one: { path: '/models/{model}', method: 'GET' },
    list: { path: '/models?pageSize=1000', id: 'name', prefix: 'models/' },
    read: readListed,
  },
  apis: {
    'gemini-embed': '/models/{model}:embedContent',
    'gemini-batch-embed': '/models/{model}:batchEmbedContents',
  },
  docs: 'https://ai.google.dev/api',
}

function readListed(entry: JsonObject): ModelFacts {
  return facts({
    contextWindow: count(entry['inputTokenLimit']),
    maxOutputTokens: count(entry['outputTokenLimit']),
    reasoning: flag(entry['thinking']),
  })
}
