/** What a gateway says when it begins: what it found, where it is, and what to try. */
import type { ResolvedConfig } from '../../gateway/config/server-config.ts'
import type { DiscoveryReport } from '../../gateway/discovery/discover.ts'
import { indent, printable, type Terminal, table, wrap } from '../terminal.ts'

export interface BannerFacts {
  readonly version: string
  /** As the server has it. */
  readonly url: string
  readonly config: ResolvedConfig
  readonly file?: string | undefined
  readonly found: DiscoveryReport
  readonly models: readonly string[]
  /** The usual port, when somebody else has it. */
  readonly taken?: number | undefined
  readonly warnings: readonly string[]
}

type Row = readonly [name: string, text: string]

export function banner(facts: BannerFacts, { style, width }: Pick<Terminal, 'style' | 'width'>) {
  const url = reachable(facts.url)
  const rows = (title: string, entries: readonly Row[]): string =>
    `${style.bold(title)}\n${indent(table(entries, width - 2), '  ')}`
  const sections = [
    style.bold(`Toolglot ${facts.version}`),
    ...facts.warnings.map((text) => style.issue(wrap(printable(text), width, 2))),
    rows('Models', modelRows(facts)),
    rows('Addresses', addressRows(url, facts)),
    `${style.bold('To try')}\n${commandLines(url, facts)}`,
    style.dim('Ctrl-C stops the gateway. "toolglot serve --help" lists its options.'),
  ]
  return `${sections.join('\n\n')}\n`
}

/** All addresses of a machine are none that can be asked. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

// ── what there is ───────────────────────────────────────────────────────────────────────────────

function modelRows(facts: BannerFacts): Row[] {
  const { config, file, found, models } = facts
  const configured = Object.keys(config.providers ?? {})
  const known = [
    ...(file === undefined ? [] : [['configuration', file] as const]),
    ...(configured.length === 0 ? [] : [['providers', configured.join(', ')] as const]),
    ...found.local.map(
      ({ name, baseUrl, models: own }): Row => [name, `${own.length} at ${baseUrl}`],
    ),
    ...found.keys.map(({ name, variable }): Row => [name, `key in ${variable}`]),
  ]
  const searched: Row[] =
    known.length > 0 || !config.discover
      ? []
      : [['found', 'no server on this machine and no key in the environment']]
  const demo = models.filter((name) => name.startsWith('demo/')).length
  const others = models.length - demo
  const counts = [
    ...(others > 0 || demo === 0 ? [String(others)] : []),
    ...(demo > 0 ? [`${demo} demo models`] : []),
  ]
  return [
    ...known,
    ...searched,
    ['listed', `${counts.join(' and ')}; GET /v1/models lists them`],
  ].map(([name = '', text = '']): Row => [printable(name), printable(text)])
}

function addressRows(url: string, { config, taken }: BannerFacts): Row[] {
  const moved: Row[] =
    taken === undefined
      ? []
      : [['note', `port ${taken} is taken, so this is the next; --port chooses one`]]
  return [
    ...(config.playground ? [['playground', `${url}/`] as const] : []),
    ['OpenAI base URL', `${url}/v1`],
    ['Anthropic base URL', url],
    ['Ollama host', url],
    ['Gemini base URL', url],
    ...(config.metrics ? [['metrics', `${url}/metrics`] as const] : []),
    ...moved,
  ]
}

// ── what to try ─────────────────────────────────────────────────────────────────────────────────

const QUESTION = {
  messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    },
  ],
} as const

const DEMO_MODEL = 'demo/hermes'

/** Services list these as well; they do not chat. */
const OTHER_USES =
  /embed|whisper|tts|dall-e|moderation|image|rerank|audio|transcribe|realtime|sora|davinci|babbage/i

/** Each on a line of its own, however long it is, so that it can be copied. */
function commandLines(url: string, { config, models }: BannerFacts): string {
  const needsKey = (config.keys ?? []).length > 0
  const key = needsKey ? '$TOOLGLOT_KEY' : 'none'
  const real = models.find((name) => !name.startsWith('demo/') && !OTHER_USES.test(name))
  const hasDemo = config.demo !== false
  const model = real ?? (hasDemo ? DEMO_MODEL : 'provider/model')
  const auth = needsKey ? ` -H "authorization: Bearer ${key}"` : ''
  // The first call works without any service, and has something to rescue.
  const body = JSON.stringify({ model: hasDemo ? DEMO_MODEL : model, ...QUESTION })
  const lines = [
    `curl ${url}/v1/chat/completions -H 'content-type: application/json'${auth} -d '${body}'`,
    `OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=${key} your-program`,
    `ANTHROPIC_BASE_URL=${url} ANTHROPIC_AUTH_TOKEN=${key} claude --model ${model}`,
    // It has no way to send a key.
    ...(needsKey ? [] : [`OLLAMA_HOST=${url} ollama run ${model}`]),
    // More than variables: files and options, which differ from agent to agent.
    `toolglot launch gemini --gateway ${url} --model ${model}`,
  ]
  return lines.map((line) => `  ${line}`).join('\n')
}
