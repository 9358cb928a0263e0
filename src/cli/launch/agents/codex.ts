import type { Agent, Target } from '../agent.ts'

/**
 * Codex CLI.
 *
 * @see https://developers.openai.com/codex/config-reference
 */
export const codex: Agent = {
  id: 'codex',
  name: 'Codex CLI',
  programs: ['codex'],
  install: 'npm install -g @openai/codex',
  api: 'OpenAI Responses',

  setup: (target) => ({
    env: keyVariable(target),
    args: Object.entries({ ...general(target), ...prefixed(provider(target)) }).flatMap(
      ([name, value]) => ['-c', `${name}=${toml(value)}`],
    ),
  }),

  manual(target) {
    const tables = [lines(general(target)), `[${TABLE}]\n${lines(provider(target))}`]
    const text = tables.join('\n')
    return {
      files: [{ path: '~/.codex/config.toml', language: 'toml', text }],
      env: keyVariable(target),
      commands: [['codex']],
    }
  },
}

const TABLE = 'model_providers.toolglot'
const KEY_VARIABLE = 'TOOLGLOT_KEY'

type Settings = Readonly<Record<string, string | number>>

function general({ model, contextLength }: Target): Settings {
  return {
    model,
    model_provider: 'toolglot',
    ...(contextLength !== undefined && { model_context_window: contextLength }),
  }
}

function provider({ url, key }: Target): Settings {
  return {
    name: 'Toolglot',
    base_url: `${url}/v1`,
    wire_api: 'responses',
    // With the name of a variable that is not set, Codex would refuse to start.
    ...(key !== undefined && { env_key: KEY_VARIABLE }),
  }
}

function keyVariable({ key }: Target): Record<string, string> {
  return key === undefined ? {} : { [KEY_VARIABLE]: key }
}

function prefixed(settings: Settings): Settings {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`${TABLE}.${name}`, value]),
  )
}

function lines(settings: Settings): string {
  const all = Object.entries(settings).map(([name, value]) => `${name} = ${toml(value)}\n`)
  return all.join('')
}

/** Strings of TOML have the escapes of JSON. */
function toml(value: string | number): string {
  return JSON.stringify(value)
}
