import { type Agent, keyOf, type Target } from '../agent.ts'

/**
 * aider.
 *
 * @see https://aider.chat/docs/llms/openai-compat.html
 */
export const aider: Agent = {
  id: 'aider',
  name: 'aider',
  programs: ['aider'],
  install: 'python -m pip install aider-install && aider-install',
  api: 'OpenAI Chat Completions',

  setup: (target) => ({ env: variables(target), args: options(target) }),

  manual: (target) => ({ env: variables(target), commands: [['aider', ...options(target)]] }),
}

function variables(target: Target): Record<string, string> {
  return { OPENAI_API_BASE: `${target.url}/v1`, OPENAI_API_KEY: keyOf(target) }
}

/** The first `openai/` is aider's own, and names the API. */
function options({ model }: Target): string[] {
  return ['--model', `openai/${model}`]
}
