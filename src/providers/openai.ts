/** OpenAI. Its newer models take tools in the Responses API only. */
import { usualApis } from './apis.ts'
import { chatService, OPENAI_CHAT, OPENAI_RESPONSES } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const openai: Provider<'openai'> = {
  id: 'openai',
  name: 'OpenAI',
  aliases: ['chatgpt', 'gpt'],
  ...chatService('https://api.openai.com/v1', 'OPENAI_API_KEY'),
  baseUrlVariables: ['OPENAI_BASE_URL'],
  // Models that reason refuse `max_tokens`; the others know both names.
  quirks: { maxTokensField: 'max_completion_tokens' },
  routes: [
    {
      models: /^(?:gpt-5\.(?:[4-9]|\d\d)|gpt-(?:[6-9]|\d\d)|o\d+-pro|.*codex)/,
      dialect: 'openai-responses',
      paths: { chat: '/responses', models: '/models' },
      capabilities: OPENAI_RESPONSES,
    },
    // Older models take functions only.
    { models: /^gpt-5/, capabilities: OPENAI_CHAT },
  ],
  apis: usualApis(
    'openai-embeddings',
    'openai-completions',
    'openai-moderations',
    'openai-speech',
    'openai-transcriptions',
    'openai-translations',
    'openai-images',
    'openai-image-edits',
    'openai-image-variations',
  ),
  docs: 'https://platform.openai.com/docs/api-reference',
}
