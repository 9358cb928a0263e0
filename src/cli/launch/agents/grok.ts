import { type Agent, keyOf, type Target } from '../agent.ts'

/**
 * Grok CLI, the one of superagent-ai.
 *
 * @see https://github.com/superagent-ai/grok-cli
 */
export const grok: Agent = {
  id: 'grok',
  name: 'Grok CLI',
  programs: ['grok'],
  install: 'npm install -g @vibe-kit/grok-cli',
  api: 'OpenAI Chat Completions',

  setup: (target) => ({ env: variables(target) }),

  manual: (target) => ({ env: variables(target), commands: [['grok']] }),
}

function variables(target: Target): Record<string, string> {
  return {
    GROK_BASE_URL: `${target.url}/v1`,
    GROK_API_KEY: keyOf(target),
    GROK_MODEL: target.model,
  }
}
