/** Google's Gemini API. */
import { NATIVE } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const google: Provider<'google'> = {
  id: 'google',
  name: 'Google Gemini',
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
  docs: 'https://ai.google.dev/api',
}
