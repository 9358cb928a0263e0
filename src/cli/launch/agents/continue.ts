import { type Agent, keyOf, type Target } from '../agent.ts'

/**
 * Continue CLI.
 *
 * @see https://docs.continue.dev/reference
 */
export const continueCli: Agent = {
  id: 'continue',
  name: 'Continue CLI',
  programs: ['cn'],
  install: 'npm install -g @continuedev/cli',
  api: 'OpenAI Chat Completions',

  setup: (target, { folder }) => ({
    env: {},
    args: ['--config', `${folder}/config.yaml`],
    files: { 'config.yaml': { text: config(target) } },
  }),

  manual: (target) => ({
    files: [{ path: '~/.continue/config.yaml', language: 'yaml', text: config(target) }],
    commands: [['cn', '--config', '~/.continue/config.yaml']],
  }),
}

/** Strings in quotes are the same in YAML and in JSON. */
function config(target: Target): string {
  return `name: Toolglot
version: 1.0.0
schema: v1
models:
  - name: Toolglot
    provider: openai
    model: ${JSON.stringify(target.model)}
    apiBase: ${JSON.stringify(`${target.url}/v1`)}
    apiKey: ${JSON.stringify(keyOf(target))}
    roles: [chat, edit, apply]
    capabilities: [tool_use]
`
}
