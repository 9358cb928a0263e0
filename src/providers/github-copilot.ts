/**
 * GitHub Copilot. A GitHub token buys one of Copilot's own, which lasts half an hour. The service also wants to
 * know which integration is calling, and there is none for everybody: each caller brings its own.
 */
import type { JsonObject } from '../core/json/value.ts'
import { chatService, NOT_OPENAI, OPENAI_RESPONSES } from './chat-service.ts'
import { copilotChat } from './copilot-chat.ts'
import { at, count, facts, flag, type ModelFacts } from './model-info.ts'
import type { Provider } from './provider.ts'

export const githubCopilot: Provider<'github-copilot'> = {
  id: 'github-copilot',
  name: 'GitHub Copilot',
  aliases: ['copilot'],
  ...chatService(
    'https://api.githubcopilot.com',
    'COPILOT_GITHUB_TOKEN',
    'GH_TOKEN',
    'GITHUB_TOKEN',
  ),
  dialect: copilotChat,
  auth: [
    {
      scheme: 'exchange',
      tokenUrl: 'https://api.github.com/copilot_internal/v2/token',
      prefix: 'token ',
    },
  ],
  settings: {
    integrationId: {
      about: 'the id of the integration that is calling',
      variables: ['COPILOT_INTEGRATION_ID'],
    },
    editorVersion: {
      about: 'the name and version of the program that is calling',
      variables: ['COPILOT_EDITOR_VERSION'],
      default: 'toolglot/0.1.0',
    },
  },
  modelInfo: { list: { id: 'id' }, tellsTools: true, read: readListed },
  headers: {
    'copilot-integration-id': '{integrationId}',
    'editor-version': '{editorVersion}',
    'x-initiator': 'agent',
  },
  quirks: { settings: NOT_OPENAI, reasoning: 'none' },
  routes: [
    {
      models: /^(?:gpt-5\.(?:[4-9]|\d\d)|.*codex)/,
      dialect: 'openai-responses',
      quirks: {},
      paths: { chat: '/responses', models: '/models' },
      capabilities: OPENAI_RESPONSES,
    },
  ],
  docs: 'https://docs.github.com/en/copilot',
}

function readListed(entry: JsonObject): ModelFacts {
  return facts({
    contextWindow: count(at(entry, 'capabilities', 'limits', 'max_context_window_tokens')),
    maxOutputTokens: count(at(entry, 'capabilities', 'limits', 'max_output_tokens')),
    nativeTools: flag(at(entry, 'capabilities', 'supports', 'tool_calls')),
    vision: flag(at(entry, 'capabilities', 'supports', 'vision')),
  })
}
