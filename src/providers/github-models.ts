/** GitHub Models; the token needs the scope `models`. */
import { usualApis } from './apis.ts'
import { chatService, NOT_OPENAI, OPEN_TEMPLATES, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const githubModels: Provider<'github-models'> = {
  id: 'github-models',
  name: 'GitHub Models',
  aliases: ['gh-models'],
  ...chatService('https://models.github.ai/inference', 'GITHUB_TOKEN', 'GH_TOKEN'),
  headers: { 'x-github-api-version': '2022-11-28' },
  capabilities: PER_MODEL,
  quirks: { ...OPEN_TEMPLATES, maxTokensField: 'max_tokens', settings: NOT_OPENAI },
  apis: usualApis('openai-embeddings'),
  docs: 'https://docs.github.com/en/rest/models/inference',
}
