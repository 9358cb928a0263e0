/** Any other server that speaks OpenAI's chat dialect: the caller says where it is. */
import { ALL_USUAL_APIS } from './apis.ts'
import { localServer, OPEN_SERVER } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const openaiCompatible: Provider<'openai-compatible'> = {
  id: 'openai-compatible',
  name: 'OpenAI-compatible server',
  aliases: ['openai-like'],
  ...localServer('', 'OPENAI_COMPATIBLE_API_KEY'),
  baseUrlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
  quirks: OPEN_SERVER,
  apis: ALL_USUAL_APIS,
  docs: 'https://platform.openai.com/docs/api-reference/chat',
}
