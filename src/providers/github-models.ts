/** GitHub Models; the token needs the scope `models`. */
import { chatService, PER_MODEL } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const githubModels: Provider<'github-models'> = {
  id: 'github-models',
  name: 'GitHub Models',
  ...chatService('https://models.github.ai/inference', 'GITHUB_TOKEN', 'GH_TOKEN'),
  headers: { 'x-github-api-version': '2022-11-28' },
  capabilities: PER_MODEL,
  quirks: { maxTokensField: 'max_tokens' },
  docs: 'https://docs.github.com/en/rest/models/inference',
}
