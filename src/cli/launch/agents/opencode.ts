import { type Agent, asJson, keyOf, type Target } from '../agent.ts'

/**
 * opencode.
 *
 * @see https://opencode.ai/docs/config/
 */
export const opencode: Agent = {
  id: 'opencode',
  name: 'opencode',
  programs: ['opencode'],
  install: 'npm install -g opencode-ai',
  api: 'OpenAI Chat Completions',

  setup: (target) => ({ env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(target)) } }),

  manual: (target) => ({
    files: [
      {
        path: '~/.config/opencode/opencode.json',
        language: 'json',
        text: asJson({ $schema: 'https://opencode.ai/config.json', ...opencodeConfig(target) }),
      },
    ],
    commands: [['opencode']],
  }),
}

/** Also understood by programs that were made from opencode. */
export function opencodeConfig(target: Target): Readonly<Record<string, unknown>> {
  const { url, model, contextLength } = target
  const name = `toolglot/${model}`
  const limit = contextLength && { context: contextLength, output: Math.floor(contextLength / 4) }
  return {
    model: name,
    small_model: name,
    provider: {
      toolglot: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Toolglot',
        options: { baseURL: `${url}/v1`, apiKey: keyOf(target) },
        models: { [model]: { name: model, ...(limit && { limit }) } },
      },
    },
  }
}
