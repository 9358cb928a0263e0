/** MiniMax through its OpenAI-compatible interface; reasoning comes apart from the text when asked to. */
import { chatService } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const minimax: Provider<'minimax'> = {
  id: 'minimax',
  name: 'MiniMax',
  ...chatService('https://api.minimax.io/v1', 'MINIMAX_API_KEY'),
  quirks: {
    maxTokensField: 'max_tokens',
    toolChoices: [],
    strict: false,
    parallel: false,
    reasoningField: 'reasoning_details',
    fields: { reasoning_split: true },
  },
  docs: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
}
