import { type Agent, keyOf, type Target } from '../agent.ts'

/**
 * Qwen Code.
 *
 * @see https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings
 */
export const qwen: Agent = {
  id: 'qwen',
  name: 'Qwen Code',
  programs: ['qwen'],
  install: 'npm install -g @qwen-code/qwen-code',
  api: 'OpenAI Chat Completions',

  setup: (target) => ({ env: variables(target), args: options(target) }),

  manual: (target) => ({ env: variables(target), commands: [['qwen', ...options(target)]] }),
}

function variables(target: Target): Record<string, string> {
  const { url, model } = target
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: keyOf(target),
    OPENAI_MODEL: model,
  }
}

/** Settings of the user would win over the variables, but not over options. */
function options({ model }: Target): string[] {
  return ['--auth-type', 'openai', '--model', model]
}
