/** What a schema cannot say: names that must be known, addresses, and what would never work. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Environment, isLoopback } from '../../client/endpoint.ts'
import type { ClientKey } from '../config.ts'
import { missingSetting } from '../hosted/check-web-search.ts'
import { checkExtraBodies } from './extra-bodies.ts'
import { type ConfiguredNames, checkModels, impliedProviders } from './model-links.ts'
import type { Finding } from './problem.ts'
import { checkImplied, checkProviders } from './provider-settings.ts'
import { SERVER_DEFAULTS, type ServerConfig } from './server-config.ts'

export interface MeaningOptions {
  /** What the paths of files are relative to. */
  readonly folder: string
  readonly env: Environment
  readonly names: ConfiguredNames
}

export interface Meaning {
  readonly problems: readonly Finding[]
  /** What works, but probably not as it is meant. */
  readonly warnings: readonly Finding[]
}

export function checkMeaning(
  config: ServerConfig,
  { env, names, folder }: MeaningOptions,
): Meaning {
  const providers = checkProviders(config, env)
  const implied = checkImplied(impliedProviders(config, names), config, env)
  return {
    problems: [
      ...providers.problems,
      ...implied.problems,
      ...checkModels(config, names),
      ...checkExtraBodies(config),
      ...checkKeys(config.keys ?? []),
      ...checkHeaders(config),
      ...checkOrigins(config.cors ?? []),
      ...checkFiles(config, folder),
      ...checkSearch(config),
    ],
    warnings: [...providers.warnings, ...implied.warnings, ...openToAll(config)],
  }
}

function checkKeys(keys: readonly ClientKey[]): Finding[] {
  return keys.flatMap(({ name, key }, at) => {
    const before = keys.slice(0, at)
    const findings: Finding[] = []
    if (before.some((other) => other.name === name)) {
      findings.push({ path: ['keys', at, 'name'], message: `two keys are called "${name}"` })
    }
    const path = ['keys', at, 'key']
    if (before.some((other) => other.key === key)) {
      findings.push({ path, message: 'two clients have the same key' })
    }
    if (/^sha256:/.test(key) && !/^sha256:[0-9a-f]{64}$/i.test(key)) {
      findings.push({ path, message: 'behind sha256: must be 64 digits in hex' })
    }
    return findings
  })
}

/** They belong to one connection. */
const OF_CONNECTIONS: readonly string[] = [
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** They say who the client is. */
const CREDENTIALS: readonly string[] = [
  'api-key',
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
]

function checkHeaders({ forwardHeaders = [], returnHeaders = [] }: ServerConfig): Finding[] {
  return [
    ...refuse('forwardHeaders', forwardHeaders, [...OF_CONNECTIONS, ...CREDENTIALS]),
    ...refuse('returnHeaders', returnHeaders, [...OF_CONNECTIONS, 'set-cookie']),
  ]
}

function refuse(list: string, names: readonly string[], refused: readonly string[]): Finding[] {
  return names.flatMap((name, at) =>
    refused.includes(name)
      ? [{ path: [list, at], message: `${name} is never passed on; take it out` }]
      : [],
  )
}

function checkOrigins(origins: readonly string[]): Finding[] {
  return origins.flatMap((origin, at) => {
    const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin.toLowerCase()
    if (origin === '*' || isOrigin) return []
    return [
      { path: ['cors', at], message: 'is no origin; write https://host, without a path, or *' },
    ]
  })
}

function checkFiles({ tls }: ServerConfig, folder: string): Finding[] {
  return Object.entries(tls ?? {}).flatMap(([name, file]) =>
    existsSync(resolve(folder, file)) ? [] : [{ path: ['tls', name], message: 'no such file' }],
  )
}

function checkSearch({ webSearch }: ServerConfig): Finding[] {
  const message = webSearch && missingSetting(webSearch)
  return message === undefined ? [] : [{ path: ['webSearch'], message }]
}

function openToAll({ host = SERVER_DEFAULTS.host, keys = [] }: ServerConfig): Finding[] {
  if (isLoopback(host) || keys.length > 0) return []
  const message = 'everybody who can reach this address may use the providers; configure keys'
  return [{ path: ['host'], message }]
}
