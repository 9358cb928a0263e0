/** Adds to a configuration what is there without one. */
import type { Environment } from '../../client/endpoint.ts'
import { getProvider } from '../../providers/registry.ts'
import { showPath } from '../config/problem.ts'
import { withoutOwnAddress } from '../config/provider-settings.ts'
import { type ServerConfig, withDefaults } from '../config/server-config.ts'
import type { ProviderConfig } from '../config.ts'
import { providersInEnvironment, telltaleVariable } from './environment.ts'
import { discoverLocalServers, type LocalServer, type LocalServerOptions } from './local-servers.ts'

export type DiscoverOptions = LocalServerOptions

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
  const local = await discoverLocalServers(options)
  const keys = providersInEnvironment(options.env)
  const found = { ...keys, ...Object.fromEntries(local.map(localProvider)) }
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

/** Those that are more than a name: what was found says more than a name does. */
function described(providers: ServerConfig['providers'] = {}): ServerConfig['providers'] {
  const told = Object.entries(providers).filter(([, given]) => Object.keys(given).length > 0)
  return Object.fromEntries(told)
}

function localProvider({ provider, baseUrl, models }: LocalServer): [string, ProviderConfig] {
  return [provider, { baseUrl, models }]
}

function foundKey(id: string, env: Environment): FoundKey[] {
  const provider = getProvider(id)
  const variable = telltaleVariable(provider, env)
  return variable === undefined ? [] : [{ provider: id, name: provider.name, variable }]
}
