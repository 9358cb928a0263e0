import { type Agent, asJson, keyOf, type Target } from '../agent.ts'

/**
 * Cline CLI.
 *
 * @see https://docs.cline.bot/cline-cli/overview
 */
export const cline: Agent = {
  id: 'cline',
  name: 'Cline CLI',
  programs: ['cline'],
  install: 'npm install -g cline',
  api: 'OpenAI Chat Completions',

  setup: (target, { folder }) => ({
    env: { CLINE_PROVIDER_SETTINGS_PATH: `${folder}/providers.json` },
    files: { 'providers.json': { text: asJson(providers(target)) } },
  }),

  manual(target) {
    const { url, model } = target
    const login = ['-p', 'openai', '-k', keyOf(target), '-m', model, '-b', `${url}/v1`]
    return { commands: [['cline', 'auth', ...login], ['cline']] }
  },
}

const PROVIDER = 'openai-compatible'

/** The settings that `cline auth` writes. */
function providers(target: Target) {
  const { url, model } = target
  const settings = { provider: PROVIDER, apiKey: keyOf(target), model, baseUrl: `${url}/v1` }
  return {
    version: 1,
    lastUsedProvider: PROVIDER,
    modes: {},
    providers: {
      [PROVIDER]: { settings, updatedAt: new Date(0).toISOString(), tokenSource: 'manual' },
    },
  }
}
