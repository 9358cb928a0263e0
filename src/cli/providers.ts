/** `toolglot providers`: the services that the client knows. */
import type { Auth, Provider, Setting } from '../providers/provider.ts'
import { allProviders } from '../providers/registry.ts'
import { createCatalogueCommand } from './catalogue.ts'
import type { Command } from './command.ts'
import { type Terminal, table } from './terminal.ts'

const HELP = `Usage: toolglot providers [id] [options]

Lists the services that Toolglot can talk to. With an id or another of its names, shows one of
them: its address, the environment variables that it reads, the dialect it speaks, and what it can do.

Options:
  --json       as JSON
  --no-color   no colours
  -h, --help   this text

Examples:
  toolglot providers
  toolglot providers groq
  toolglot providers gemini
  toolglot providers --json`

export const providersCommand: Command = createCatalogueCommand({
  name: 'providers',
  summary: 'list the services, or show one',
  help: HELP,
  noun: 'provider',
  members: allProviders,
  summarize: details,
  detail: details,
  head: ['id', 'dialect', 'tools', 'key'],
  row(provider) {
    const { id, tools, dialect, key } = details(provider)
    return [id, dialect, tools, key.join(' or ') || '–']
  },
  legend:
    'native: takes tools. by model: some of its models do, and for others calls are written in ' +
    'the text. text: calls are always written in the text.',
  show: showOne,
})

function showOne(provider: Provider, { print, style, width }: Terminal): void {
  const shown = details(provider)
  const rows = [
    ['also', shown.aliases.join(', ')],
    ['address', shown.baseUrl || 'none: say where it is'],
    ['set by', shown.baseUrlVariables.join(' or ')],
    ['dialect', shown.dialect],
    ['tools', `${shown.tools}${shown.streamsTools ? ', in streams as well' : ', not in streams'}`],
    [
      'key',
      [shown.key.join(' or '), shown.keyOptional ? 'not needed' : ''].filter(Boolean).join(', '),
    ],
    ['sent as', shown.auth.join(', or ')],
    ...shown.settings.map(({ name, from }) => [name, from]),
    ['more', shown.docs],
  ].filter(([, value]) => value !== '')
  print(`${style.bold(shown.name)}  ${style.dim(shown.id)}\n`)
  print(table(rows, width))
}

function details(provider: Provider) {
  const { id, name, baseUrl, baseUrlVariables = [], dialect, docs, capabilities } = provider
  return {
    id,
    name,
    aliases: provider.aliases ?? [],
    baseUrl,
    baseUrlVariables,
    dialect: typeof dialect === 'string' ? dialect : dialect.id,
    tools: toolsWord(capabilities.nativeTools),
    streamsTools: capabilities.streamsTools,
    key: provider.keyVariables,
    keyOptional: provider.keyOptional ?? false,
    auth: provider.auth.map(describeAuth),
    settings: Object.entries(provider.settings ?? {}).map(([setting, value]) => {
      return { name: setting, from: describeSetting(value) }
    }),
    docs,
  }
}

function toolsWord(native: boolean | 'per-model'): string {
  if (native === 'per-model') return 'by model'
  return native ? 'native' : 'text'
}

const SCHEMES: Readonly<Record<Auth['scheme'], string>> = {
  bearer: 'a bearer token',
  header: 'a header',
  sigv4: 'a signature of AWS',
  'client-credentials': 'OAuth client credentials',
  exchange: 'a key that buys tokens',
}

function describeAuth(auth: Auth): string {
  return auth.scheme === 'header' ? `the header ${auth.header}` : SCHEMES[auth.scheme]
}

function describeSetting({ about, variables, default: usual }: Setting): string {
  const from = variables.join(' or ')
  return [about, from, usual === undefined ? '' : `${usual} if not set`].filter(Boolean).join(', ')
}
