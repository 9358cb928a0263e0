import { type Agent, asJson } from '../agent.ts'
import { opencodeConfig } from './opencode.ts'

/**
 * Kilo CLI, which was made from opencode and has its configuration under names of its own.
 *
 * @see https://kilo.ai/docs/cli
 */
export const kilo: Agent = {
  id: 'kilo',
  name: 'Kilo CLI',
  programs: ['kilo', 'kilocode'],
  install: 'npm install -g @kilocode/cli',
  api: 'OpenAI Chat Completions',

  setup: (target) => ({ env: { KILO_CONFIG_CONTENT: JSON.stringify(opencodeConfig(target)) } }),

  manual: (target) => ({
    files: [
      {
        path: '~/.config/kilo/kilo.json',
        language: 'json',
        text: asJson(opencodeConfig(target)),
      },
    ],
    commands: [['kilo']],
  }),
}
