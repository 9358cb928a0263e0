/** Any other server that speaks OpenAI's Responses API: the caller says where it is. */
import { localServer } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const responsesCompatible: Provider<'responses-compatible'> = {
  id: 'responses-compatible',
  name: 'Responses-compatible server',
  aliases: ['open-responses'],
  ...localServer('', 'OPENAI_COMPATIBLE_API_KEY'),
  dialect: 'openai-responses',
  paths: { chat: '/responses', models: '/models' },
  quirks: { systemMessages: 'first' },
  baseUrlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
  docs: 'https://platform.openai.com/docs/api-reference/responses',
}
