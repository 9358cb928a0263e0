/** `toolglot providers`: the services that the client knows. */

import { didYouMean } from '../core/nearest.ts'
import type { Auth, Provider, Setting } from '../providers/provider.ts'
import { allProviders, findProvider } from '../providers/registry.ts'
import { COMMON_OPTIONS, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import { type Terminal, table, wrap } from './terminal.ts'

const HELP = `Usage: toolglot providers [id] [options]

Lists the services that Toolglot can talk to. With an id, shows one of them: its address, the
environment variables that it reads, the dialect it speaks, and what it can do.

Options:
  --json       as JSON
  --no-color   no colours
  -h, --help   this text

Examples:
  toolglot providers
  toolglot providers groq
  toolglot providers --json`

const OPTIONS = { ...COMMON_OPTIONS, json: { type: 'boolean' } } as const

export const providersCommand: Command = {
  name: 'providers',
  summary: 'list the services, or show one',
  help: HELP,
  options: OPTIONS,
  operands: allProviders.map(({ id }) => id),
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OPTIONS)
    const [id, extra] = positionals
    if (extra !== undefined) throw new UsageError(`only one id at a time, but also got ${extra}`)
    if (id !== undefined) showOne(find(id), values.json === true, terminal)
    else showAll(values.json === true, terminal)
    return EXIT_OK
  },
}

function showAll(json: boolean, { print, style, width }: Terminal): void {
  if (json) {
    print(JSON.stringify(allProviders.map(details), null, 2))
    return
  }
  const rows = allProviders.map((provider) => {
    const { id, tools, dialect, key } = details(provider)
    return [id, dialect, tools, key.join(' or ') || '–']
  })
  print(table([['id', 'dialect', 'tools', 'key'], ...rows], width))
  print('')
  print(
    style.dim(
      wrap(
        'native: takes tools. by model: some of its models do, and for others calls are written in ' +
          'the text. text: calls are always written in the text.',
        width,
        0,
      ),
    ),
  )
}

function showOne(provider: Provider, json: boolean, { print, style, width }: Terminal): void {
  const shown = details(provider)
  if (json) {
    print(JSON.stringify(shown, null, 2))
    return
  }
  const rows = [
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

function find(id: string): Provider {
  const found = findProvider(id)
  if (found) return found
  const ids = allProviders.map((provider) => provider.id)
  throw new UsageError(
    `no provider is called ${id}${didYouMean(id, ids)}; "toolglot providers" lists them all`,
  )
}
