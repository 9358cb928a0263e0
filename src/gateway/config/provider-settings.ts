/** Whether providers can be asked with what is configured and what the environment says. */

import { type Environment, firstSet, interfaceOf, resolveEndpoint } from '../../client/endpoint.ts'
import { InvalidInputError } from '../../core/errors.ts'
import type { JsonPath } from '../../core/issue.ts'
import type { Provider } from '../../providers/provider.ts'
import { findProvider, nearestProvider } from '../../providers/registry.ts'
import type { ProviderConfig } from '../config.ts'
import { demoProvider } from '../demo/demo-provider.ts'
import { missingCredentials } from '../discovery/environment.ts'
import { isOwnAddress } from './own-address.ts'
import type { Finding } from './problem.ts'
import type { ServerConfig } from './server-config.ts'
import { suggestion } from './shape.ts'

interface Checked {
  readonly problems: readonly Finding[]
  readonly warnings: readonly Finding[]
}

export function checkProviders(config: ServerConfig, env: Environment): Checked {
  const problems: Finding[] = []
  const warnings: Finding[] = []
  for (const [name, given] of Object.entries(config.providers ?? {})) {
    problems.push(...checkName(name, config))
    const provider = findProvider(given.provider ?? name)
    if (provider) {
      const own = checkProvider(name, given, provider, config, env)
      problems.push(...own)
      if (own.length === 0) warnings.push(...doubts(name, given, provider, env))
    } else if (given.provider === undefined) {
      problems.push({ path: ['providers', name], message: unknownName(name), isAboutName: true })
    }
  }
  return { problems, warnings }
}

/** The same for those that are only named, and where they are. */
export function checkImplied(
  implied: ReadonlyMap<string, JsonPath>,
  config: ServerConfig,
  env: Environment,
): Checked {
  const problems: Finding[] = []
  const warnings: Finding[] = []
  for (const [name, path] of implied) {
    const alone = { ...config, providers: { [name]: {} } }
    const found = checkProviders(alone, env)
    problems.push(
      ...found.problems.map(({ message }) => ({ path, message: forProvider(name, message) })),
    )
    warnings.push(
      ...found.warnings.map(({ message }) => ({ path, message: forProvider(name, message) })),
    )
  }
  return { problems, warnings }
}

/** What to add is to be added to an entry that is not there yet. */
function forProvider(name: string, message: string): string {
  return message.replace(/\badd (apiKey|baseUrl|settings\.)/, `add providers.${name}.$1`)
}

function checkName(name: string, { demo = true }: ServerConfig): Finding[] {
  const refuse = (message: string): Finding[] => [
    { path: ['providers', name], message, isAboutName: true },
  ]
  if (name === '' || name.includes('/')) {
    return refuse('the name stands before the slash in name/model, and has none itself')
  }
  if (name === demoProvider.id && demo) {
    return refuse(`${name}/… are the built-in models; choose another name, or set demo to false`)
  }
  return []
}

function unknownName(name: string): string {
  const meant = nearestProvider(name)
  const how = 'for a server of your own, add "provider": "openai-compatible"'
  const hint = meant === undefined ? how : `did you mean "${meant}"? If not, ${how}`
  return `there is no provider "${name}"; ${hint}`
}

function checkProvider(
  name: string,
  given: ProviderConfig,
  provider: Provider,
  config: ServerConfig,
  env: Environment,
): readonly Finding[] {
  const path = ['providers', name]
  const problems = [
    ...checkSettings([...path, 'settings'], given.settings ?? {}, provider),
    ...checkAddress([...path, 'baseUrl'], given.baseUrl, config),
  ]
  if (problems.length > 0) return problems
  const { baseUrl, settings, headers } = given
  try {
    resolveEndpoint(interfaceOf(provider, { env, settings }), { env, baseUrl, settings, headers })
    return []
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    return [{ path, message: error.message.replace(/\bpass (?=baseUrl|settings)/, 'add ') }]
  }
}

function checkSettings(
  path: readonly string[],
  settings: Readonly<Record<string, string>>,
  provider: Provider,
): Finding[] {
  const known = Object.keys(provider.settings ?? {})
  const unknown = Object.keys(settings).filter((setting) => !known.includes(setting))
  return unknown.map((setting) => ({
    path: [...path, setting],
    isAboutName: true,
    message:
      known.length === 0
        ? `${provider.name} has no settings`
        : `${provider.name} has no such setting; ${suggestion(setting, known)}`,
  }))
}

function checkAddress(
  path: readonly string[],
  baseUrl: string | undefined,
  config: ServerConfig,
): Finding[] {
  if (baseUrl === undefined) return []
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    return [{ path, message: 'is no address; write https://host/path' }]
  }
  const { username, password } = new URL(baseUrl)
  if (username !== '' || password !== '') {
    return [{ path, message: 'has a password in it; use apiKey or headers.authorization instead' }]
  }
  if (isOwnAddress(baseUrl, config)) {
    return [{ path, message: 'is the address of this gateway itself' }]
  }
  return []
}

function doubts(
  name: string,
  given: ProviderConfig,
  provider: Provider,
  env: Environment,
): Finding[] {
  const path = ['providers', name]
  const findings: Finding[] = []
  const lacks = missingCredentials(provider, given, env)
  if (lacks !== undefined) findings.push({ path, message: lacks })
  if (given.onlyListed && (given.models ?? []).length === 0) {
    const message = 'lists no models, so none can be asked'
    findings.push({ path: [...path, 'onlyListed'], message })
  }
  return findings
}

/**
 * The providers with addresses of their own where a variable says that of this gateway: people set it for
 * their clients, and we would ask ourselves for ever.
 */
export function withoutOwnAddress(
  config: ServerConfig,
  env: Environment,
): { readonly config: ServerConfig; readonly warnings: readonly Finding[] } {
  const warnings: Finding[] = []
  const entries = Object.entries(config.providers ?? {}).map(([name, given]) => {
    const provider = findProvider(given.provider ?? name)
    const { baseUrl = '', baseUrlVariables = [] } = provider ?? {}
    const told = firstSet(baseUrlVariables, env)
    const isFixed = given.baseUrl !== undefined || baseUrl === ''
    if (isFixed || told === undefined || !isOwnAddress(told, config)) return [name, given] as const
    const message = `${baseUrlVariables.join(' or ')} is the address of this gateway itself; asking ${baseUrl}`
    warnings.push({ path: ['providers', name], message })
    return [name, { ...given, baseUrl }] as const
  })
  if (warnings.length === 0) return { config, warnings }
  return { config: { ...config, providers: Object.fromEntries(entries) }, warnings }
}
