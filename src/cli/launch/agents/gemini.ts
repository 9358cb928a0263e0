import { join } from 'node:path'
import { type Agent, asJson, keyOf, type Target } from '../agent.ts'

/**
 * Gemini CLI.
 *
 * @see https://geminicli.com/docs/reference/configuration/
 */
export const gemini: Agent = {
  id: 'gemini',
  name: 'Gemini CLI',
  programs: ['gemini'],
  install: 'npm install -g @google/gemini-cli',
  api: 'Gemini',

  setup(target, { folder, home, env }) {
    const own = join(env['GEMINI_CLI_HOME'] ?? home, '.gemini')
    return {
      env: {
        ...variables(target),
        // Settings can only be said in a file, and the one for administrators has to belong to root.
        GEMINI_CLI_HOME: folder,
        // Either would make it sign in elsewhere.
        GOOGLE_GENAI_USE_VERTEXAI: null,
        GOOGLE_GENAI_USE_GCA: null,
      },
      files: {
        '.gemini/settings.json': {
          text: asJson(settings(target)),
          over: join(own, 'settings.json'),
        },
      },
      links: { '.gemini': own },
    }
  },

  manual: (target) => ({
    files: [{ path: '~/.gemini/settings.json', language: 'json', text: asJson(settings(target)) }],
    env: variables(target),
    commands: [['gemini']],
  }),
}

function variables(target: Target): Record<string, string> {
  return {
    GOOGLE_GEMINI_BASE_URL: target.url,
    GEMINI_API_KEY: keyOf(target),
    GEMINI_MODEL: target.model,
  }
}

function settings({ model }: Target) {
  return {
    // With a base URL and nothing else the CLI picks an authentication that it then refuses.
    security: { auth: { selectedType: 'gemini-api-key' } },
    // Summaries and checks would ask for models of Google's by name.
    modelConfigs: { customOverrides: [{ match: {}, modelConfig: { model } }] },
  }
}
