/**
 * MiniMax through its OpenAI-compatible interface; reasoning comes apart from the text when asked to. A setting
 * chooses the other interface.
 */
import { chatService, NOT_OPENAI, OPEN_TEMPLATES } from './chat-service.ts'
import { minimaxAnthropic } from './minimax-anthropic.ts'
import type { Provider } from './provider.ts'

export const minimax: Provider<'minimax'> = {
  id: 'minimax',
  name: 'MiniMax',
  aliases: ['minimaxi', 'minimax-ai'],
  ...chatService('https://api.minimax.io/v1', 'MINIMAX_API_KEY'),
  settings: {
    apiCompat: {
      about: 'the interface, openai or anthropic',
      variables: ['MINIMAX_API_COMPAT'],
      optional: true,
    },
  },
  interfaces: {
    setting: 'apiCompat',
    usual: 'openai',
    others: { anthropic: minimaxAnthropic },
  },
  quirks: {
    ...OPEN_TEMPLATES,
    settings: NOT_OPENAI,
    reasoning: 'none',
    maxTokensField: 'max_tokens',
    toolChoices: [],
    strict: false,
    parallel: false,
    reasoningField: 'reasoning_details',
    fields: { reasoning_split: true },
  },
  docs: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
}
