/** Google's Gemini API by way of its Interactions, which also reach its agents. */
import { google } from './google.ts'
import type { Provider } from './provider.ts'

export const googleInteractions: Provider<'google-interactions'> = {
  ...google,
  id: 'google-interactions',
  name: 'Google Interactions',
  aliases: ['interactions', 'gemini-interactions'],
  alternativeTo: 'google',
  dialect: 'google-interactions',
  paths: { chat: '/interactions', models: '/models' },
  docs: 'https://ai.google.dev/gemini-api/docs/interactions',
}
