import { type Agent, keyOf, type Target } from '../agent.ts'

/**
 * Letta Code on its local backend, for which the gateway is a llama.cpp server.
 *
 * @see https://docs.letta.com/letta-code
 */
export const letta: Agent = {
  id: 'letta',
  name: 'Letta Code',
  programs: ['letta'],
  install: 'npm install -g @letta-ai/letta-code',
  api: 'OpenAI Chat Completions',

  setup: (target) => ({ env: variables(target), args: options(target) }),

  manual: (target) => ({ env: variables(target), commands: [['letta', ...options(target)]] }),
}

function variables(target: Target): Record<string, string> {
  return { LLAMA_CPP_BASE_URL: `${target.url}/v1`, LLAMA_CPP_API_KEY: keyOf(target) }
}

function options({ model }: Target): string[] {
  return ['--backend', 'local', '--model', `llama.cpp/${model}`]
}
