import { type Agent, asJson, keyOf, type Target } from '../agent.ts'

/**
 * Claude Code.
 *
 * @see https://code.claude.com/docs/en/llm-gateway
 * @see https://code.claude.com/docs/en/env-vars
 */
export const claude: Agent = {
  id: 'claude',
  name: 'Claude Code',
  programs: ['claude'],
  install: 'npm install -g @anthropic-ai/claude-code',
  api: 'Anthropic',

  setup(target, { folder }) {
    const env = variables(target)
    return {
      // Beside the token, a key of Anthropic's would make it ask which of the two to use.
      env: { ...env, ANTHROPIC_API_KEY: null },
      preferences: preferences(target),
      args: ['--settings', `${folder}/settings.json`],
      // The same again, because variables in the user's own settings would win over the environment.
      files: { 'settings.json': { text: asJson({ env }) } },
    }
  },

  manual: (target) => ({
    env: { ...variables(target), ...preferences(target) },
    commands: [['claude']],
  }),
}

function variables(target: Target): Record<string, string> {
  const { url, model } = target
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: keyOf(target),
    ANTHROPIC_MODEL: model,
    // Titles, summaries and sub-agents ask for a model by its class.
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
  }
}

/** Output tokens that Claude Code asks for by default. */
const USUAL_OUTPUT = 32_000

function preferences({ contextLength }: Target): Record<string, string> {
  const output = contextLength && Math.min(USUAL_OUTPUT, Math.floor(contextLength / 4))
  return {
    // A line that changes with every request would make local servers read the whole prompt again.
    CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
    // All tools from the start: tools that join later change the prompt from its beginning on.
    ENABLE_TOOL_SEARCH: 'false',
    ...(output && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(output) }),
  }
}
