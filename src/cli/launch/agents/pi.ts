import { type Agent, asJson, keyOf, type Target } from '../agent.ts'

/**
 * pi.
 *
 * @see https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/custom-provider.md
 */
export const pi: Agent = {
  id: 'pi',
  name: 'pi',
  programs: ['pi'],
  install: 'npm install -g @earendil-works/pi-coding-agent',
  api: 'OpenAI Chat Completions',

  setup: (target, { folder }) => ({
    env: {},
    // An extension joins those of the user; a models.json would be instead of theirs.
    args: ['--extension', `${folder}/toolglot.js`, ...options(target)],
    files: { 'toolglot.js': { text: extension(target) } },
  }),

  manual: (target) => ({
    files: [
      {
        path: '~/.pi/agent/models.json',
        language: 'json',
        text: asJson({ providers: { toolglot: provider(target) } }),
      },
    ],
    commands: [['pi', ...options(target)]],
  }),
}

function options({ model }: Target): string[] {
  return ['--provider', 'toolglot', '--model', model]
}

function extension(target: Target): string {
  const settings = JSON.stringify(provider(target), null, 2)
  return `export default (pi) => pi.registerProvider('toolglot', ${settings})\n`
}

/** The value that pi itself uses for models without a description. */
const USUAL = { contextWindow: 128_000, maxTokens: 16_384 } as const

function provider(target: Target) {
  const { url, model, contextLength = USUAL.contextWindow } = target
  return {
    baseUrl: `${url}/v1`,
    api: 'openai-completions',
    apiKey: keyOf(target),
    models: [
      {
        id: model,
        name: model,
        reasoning: false,
        input: ['text', 'image'],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: contextLength,
        maxTokens: Math.min(USUAL.maxTokens, Math.floor(contextLength / 4)),
      },
    ],
  }
}
