/**
 * GitHub Copilot. A GitHub token buys one of Copilot's own, which lasts half an hour. The service also wants to
 * know which integration is calling: pass yours as the header `copilot-integration-id`.
 */
import { chatService, NATIVE } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const githubCopilot: Provider<'github-copilot'> = {
  id: 'github-copilot',
  name: 'GitHub Copilot',
  ...chatService(
    'https://api.githubcopilot.com',
    'COPILOT_GITHUB_TOKEN',
    'GH_TOKEN',
    'GITHUB_TOKEN',
  ),
  auth: [
    {
      scheme: 'exchange',
      tokenUrl: 'https://api.github.com/copilot_internal/v2/token',
      prefix: 'token ',
    },
  ],
  headers: {
    'editor-version': 'toolglot/0.1.0',
    'x-initiator': 'agent',
  },
  routes: [
    {
      models: /^(?:gpt-5\.(?:[4-9]|\d\d)|.*codex)/,
      dialect: 'openai-responses',
      paths: { chat: '/responses', models: '/models' },
      capabilities: NATIVE,
    },
  ],
  docs: 'https://docs.github.com/en/copilot',
}
