/**
 * The way to one provider: where it is, who is asking, and what nobody may see. Everybody who asks the same
 * provider with the same options does so over one connection.
 */
import type { Provider } from '../providers/provider.ts'
import type { ClientOptions } from './create-client.ts'
import { type ApiKey, type Credentials, createCredentials } from './credentials.ts'
import { type Endpoint, interfaceOf, processEnvironment, resolveEndpoint } from './endpoint.ts'
import { createKeyPool, type KeyPool, pooledKeys } from './key-pool.ts'
import { maskedFetch } from './masked-fetch.ts'
import type { ModelMemory } from './model-memory.ts'
import { patientFetch } from './patient-fetch.ts'
import { createSecrets, type Secrets } from './secrets.ts'
import { createServiceMemory, type ServiceMemory } from './service-memory.ts'
import { type Whereabouts, whereaboutsOf } from './whereabouts.ts'

export type ConnectionOptions = Pick<
  ClientOptions,
  'apiKey' | 'keyOrder' | 'baseUrl' | 'settings' | 'headers' | 'fetch' | 'env'
>

export interface Connection {
  readonly provider: Provider
  readonly endpoint: Endpoint
  readonly credentials: Credentials
  /** The keys to ask with, when there are several. */
  readonly keys: KeyPool
  readonly secrets: Secrets
  /** Its answers hold no keys. */
  readonly fetch: typeof fetch
  /** What was found out about its models. */
  readonly models: ModelMemory
  /** What errors say about it. */
  readonly where: Whereabouts
}

/** Where the memory of a service comes from when it outlives the connection. */
export type MemoryOf = (endpoint: Endpoint) => ServiceMemory

/** Throws a TypeError that says what is missing. Errors name options with `optionPrefix` before them. */
export function openConnection(
  service: Provider,
  options: ConnectionOptions,
  memoryOf: MemoryOf = createServiceMemory,
  optionPrefix = '',
): Connection {
  const { apiKey, keyOrder, baseUrl, settings, headers, env = processEnvironment() } = options
  const sender = options.fetch ?? patientFetch
  const secrets = createSecrets()
  const provider = interfaceOf(service, { env, settings })
  const endpoint = resolveEndpoint(provider, { env, baseUrl, settings, headers })
  for (const [name, value] of Object.entries(headers ?? {})) secrets.addHeader(name, value)
  secrets.addAddress(endpoint.base)
  for (const [name, { secret }] of Object.entries(provider.settings ?? {})) {
    if (secret) secrets.add(endpoint.settings[name])
  }
  const { models, circuitOf } = memoryOf(endpoint)
  const single = typeof apiKey === 'object' ? undefined : apiKey
  const credentials = createCredentials(provider, endpoint, {
    apiKey: single,
    env,
    // An answer to a request for a token has a key in it that is wanted.
    fetch: sender,
    secrets,
  })
  function pooled(): readonly ApiKey[] {
    const all = pooledKeys(provider, apiKey, env)
    for (const key of all) if (typeof key === 'string') secrets.add(key)
    return all
  }
  const keys = createKeyPool({ name: provider.name, keys: pooled, order: keyOrder, circuitOf })
  return {
    provider,
    endpoint,
    credentials,
    keys,
    secrets,
    fetch: maskedFetch(sender, secrets),
    models,
    where: whereaboutsOf(provider, { endpoint, secrets, optionPrefix }),
  }
}
