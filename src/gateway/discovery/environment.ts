/** Providers that can be asked with what the environment has. */
import { type Environment, firstSet, missing, resolveEndpoint } from '../../client/endpoint.ts'
import { poolVariables } from '../../client/key-pool.ts'
import { InvalidInputError } from '../../core/errors.ts'
import type { Auth, Provider } from '../../providers/provider.ts'
import { allProviders } from '../../providers/registry.ts'
import { isThisMachine, urlOf } from '../config/own-address.ts'
import type { ProviderConfig } from '../config.ts'

/** By id, without the keys themselves: whoever asks a provider reads its variable. */
export function providersInEnvironment(env: Environment): Record<string, ProviderConfig> {
  const usable = allProviders.filter((provider) => isMeant(provider, env))
  return Object.fromEntries(usable.map(({ id }) => [id, {}]))
}

/** The variable that shows that a provider is meant. */
export function telltaleVariable(provider: Provider, env: Environment): string | undefined {
  const settings = Object.values(provider.settings ?? {})
  const secret = settings.filter((setting) => setting.secret && setting.default === undefined)
  const names = [
    ...provider.keyVariables,
    ...poolVariables(provider.keyVariables),
    ...secret.flatMap(({ variables }) => variables),
    ...(provider.baseUrlVariables ?? []),
  ]
  return names.find((name) => firstSet([name], env) !== undefined)
}

/** What is missing to prove who is asking, in words; undefined when nothing is. */
export function missingCredentials(
  provider: Provider,
  config: ProviderConfig,
  env: Environment,
): string | undefined {
  const headers = Object.keys(config.headers ?? {}).map((name) => name.toLowerCase())
  const hasOwn = provider.auth.some((auth) => headers.includes(headerOf(auth)))
  if (provider.keyOptional || hasOwn || headers.includes('authorization')) return undefined
  const lacking = provider.auth.map((auth) => lackingFor(auth, provider, config, env))
  if (lacking.some((names) => names.length === 0)) return undefined
  const { name, keyVariables } = provider
  const [setting] = lacking.flat()
  if (keyVariables.length > 0) {
    return `no key for ${name}: add apiKey or set ${keyVariables.join(' or ')}`
  }
  return missing(setting ?? 'apiKey', provider).replace(/\bpass (?=settings)/, 'add ')
}

function isMeant(provider: Provider, env: Environment): boolean {
  if (provider.alternativeTo !== undefined) return false
  const isProven = provider.auth.some((auth) => lackingFor(auth, provider, {}, env).length === 0)
  if (!isProven && !(provider.keyOptional && isToldElsewhere(provider, env))) return false
  return hasAddress(provider, env)
}

/** A server of this machine's at its usual kind of address is there or not: only asking it tells. */
function isToldElsewhere({ baseUrl, baseUrlVariables = [] }: Provider, env: Environment): boolean {
  const told = firstSet(baseUrlVariables, env)
  if (told === undefined) return false
  return baseUrl === '' || !isThisMachine(urlOf(told)?.hostname ?? '')
}

function hasAddress(provider: Provider, env: Environment): boolean {
  try {
    resolveEndpoint(provider, { env })
    return true
  } catch (error) {
    if (error instanceof InvalidInputError) return false
    throw error
  }
}

/** The settings that each way to authenticate needs; the others need the key. */
const NEEDED_SETTINGS: Readonly<Partial<Record<Auth['scheme'], readonly string[]>>> = {
  sigv4: ['accessKeyId', 'secretAccessKey'],
  'client-credentials': ['clientId', 'clientSecret'],
}

function neededSettings(auth: Auth): readonly string[] | undefined {
  if (auth.scheme === 'bearer' && auth.setting !== undefined) return [auth.setting]
  return NEEDED_SETTINGS[auth.scheme]
}

/** Names of what is missing for a way to authenticate. */
function lackingFor(
  auth: Auth,
  { keyVariables, settings = {} }: Provider,
  config: ProviderConfig,
  env: Environment,
): readonly string[] {
  const own = neededSettings(auth)
  const key = config.apiKey ?? firstSet([...keyVariables, ...poolVariables(keyVariables)], env)
  const needed = [...(own ?? []), ...('tokenUrl' in auth ? settingsIn(auth.tokenUrl) : [])]
  const lacking = needed.filter((name) => {
    const { variables = [], default: usual } = settings[name] ?? {}
    return (config.settings?.[name] ?? firstSet(variables, env) ?? usual) === undefined
  })
  return own || key !== undefined ? lacking : ['apiKey', ...lacking]
}

/** The names in an address such as `https://{region}.example.com`. */
function settingsIn(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function headerOf(auth: Auth): string {
  return auth.scheme === 'header' ? auth.header : 'authorization'
}
