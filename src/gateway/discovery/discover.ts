/** Adds to a configuration what is there without one. */
import type { Environment } from '../../client/endpoint.ts'
import { getProvider } from '../../providers/registry.ts'
import { isThisMachine, urlOf } from '../config/own-address.ts'
import { showPath } from '../config/problem.ts'
import { withoutOwnAddress } from '../config/provider-settings.ts'
import { type ServerConfig, withDefaults } from '../config/server-config.ts'
import type { ProviderConfig } from '../config.ts'
import { providersInEnvironment, telltaleVariable } from './environment.ts'
import { discoverLocalServers, type LocalServer, type LocalServerOptions } from './local-servers.ts'

export interface DiscoverOptions extends LocalServerOptions {
  /** Servers that were found before: they stay when they do not answer. */
  readonly known?: readonly LocalServer[] | undefined
}

export interface Discovery<Config extends ServerConfig = ServerConfig> {
  /** With what was found, under the ids of the providers. What is configured stays as it is. */
  readonly config: Config & Pick<ServerConfig, 'providers'>
  readonly report: DiscoveryReport
}

/** For the banner. */
export interface DiscoveryReport {
  readonly local: readonly LocalServer[]
  readonly keys: readonly FoundKey[]
  readonly warnings: readonly string[]
}

export interface FoundKey {
  /** The id of the provider. */
  readonly provider: string
  readonly name: string
  /** The environment variable that speaks for it. */
  readonly variable: string
}

const NOTHING: DiscoveryReport = { local: [], keys: [], warnings: [] }

/** Finds nothing when the configuration says so, or has providers and does not ask for more. */
export async function withDiscovered<Config extends ServerConfig>(
  config: Config,
  options: DiscoverOptions,
): Promise<Discovery<Config>> {
  if (!withDefaults(config).discover) return { config, report: NOTHING }
  const answering = await discoverLocalServers(options)
  const all = withKnown(answering, options.known ?? [])
  const local = all.filter((server) => !isConfigured(server, config))
  const keys = providersInEnvironment(options.env)
  const servers = Object.fromEntries(local.map(localProvider))
  // Where both have a model of the same name, the server on this machine is asked.
  const found = { ...servers, ...keys, ...servers }
  const providers = { ...config.providers, ...found, ...described(config.providers) }
  const { config: safe, warnings } = withoutOwnAddress({ ...config, providers }, options.env)
  const isNew = (id: string): boolean => !Object.hasOwn(config.providers ?? {}, id)
  return {
    config: { ...config, providers: safe.providers },
    report: {
      local,
      keys: Object.keys(keys)
        .filter(isNew)
        .flatMap((id) => foundKey(id, options.env)),
      warnings: warnings.map(({ path, message }) => `${showPath(path)}: ${message}`),
    },
  }
}

/** A server that does not answer may be back before it is asked. */
function withKnown(
  found: readonly LocalServer[],
  known: readonly LocalServer[],
): readonly LocalServer[] {
  const gone = known.filter((one) => !found.some(({ provider }) => provider === one.provider))
  return [...found, ...gone]
}

/** A server under a name of the user's own is not listed a second time. */
function isConfigured(
  { provider, baseUrl }: LocalServer,
  { providers = {} }: ServerConfig,
): boolean {
  return Object.entries(providers).some(
    ([name, given]) =>
      name !== provider && given.baseUrl !== undefined && isSameServer(given.baseUrl, baseUrl),
  )
}

function isSameServer(one: string, other: string): boolean {
  const [first, second] = [urlOf(one), urlOf(other)]
  if (!first || !second || first.port !== second.port) return false
  return isThisMachine(first.hostname) && isThisMachine(second.hostname)
}

/** Those that are more than a name: what was found says more than a name does. */
function described(providers: ServerConfig['providers'] = {}): ServerConfig['providers'] {
  const told = Object.entries(providers).filter(([, given]) => Object.keys(given).length > 0)
  return Object.fromEntries(told)
}

/** Without its models: the gateway asks the server for them, now and later. */
function localProvider({ provider, baseUrl }: LocalServer): [string, ProviderConfig] {
  return [provider, { baseUrl }]
}

function foundKey(id: string, env: Environment): FoundKey[] {
  const provider = getProvider(id)
  const variable = telltaleVariable(provider, env)
  return variable === undefined ? [] : [{ provider: id, name: provider.name, variable }]
}
