import { type Agent, keyOf, type Target } from '../agent.ts'

/**
 * GitHub Copilot CLI, with a provider of one's own. `copilot help providers` describes the variables.
 *
 * @see https://docs.github.com/en/copilot/concepts/agents/copilot-cli/about-copilot-cli
 */
export const copilot: Agent = {
  id: 'copilot',
  name: 'GitHub Copilot CLI',
  programs: ['copilot'],
  install: 'npm install -g @github/copilot',
  api: 'OpenAI Chat Completions',

  setup: (target) => ({
    env: {
      ...variables(target),
      // Each would win over one of the above.
      COPILOT_PROVIDER_API_KEY_COMMAND: null,
      COPILOT_PROVIDER_BEARER_TOKEN: null,
      COPILOT_PROVIDER_TRANSPORT: null,
      COPILOT_PROVIDER_WIRE_MODEL: null,
    },
  }),

  manual: (target) => ({ env: variables(target), commands: [['copilot']] }),
}

function variables(target: Target): Record<string, string> {
  const { url, model, contextLength } = target
  return {
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_WIRE_API: 'completions',
    COPILOT_PROVIDER_API_KEY: keyOf(target),
    COPILOT_MODEL: model,
    ...(contextLength !== undefined && {
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(Math.floor((contextLength * 3) / 4)),
      COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(Math.floor(contextLength / 4)),
    }),
  }
}
