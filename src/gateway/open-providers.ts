/** The providers of a configuration, each with the way to it and the models it has. */
import { type Connection, openConnection } from '../client/connection.ts'
import type { Environment } from '../client/endpoint.ts'
import type { ServiceMemories } from '../client/service-memory.ts'
import type { ModelFacts } from '../providers/model-info.ts'
import type { Provider } from '../providers/provider.ts'
import { getProvider } from '../providers/registry.ts'
import type { GatewayConfig, ProviderConfig } from './config.ts'
import { listDemoModels } from './demo/demo-models.ts'
import { demoProvider } from './demo/demo-provider.ts'
import { createDemoSend } from './demo/demo-send.ts'
import type { Send } from './http.ts'
import { maskedSend } from './masked-send.ts'
import type { Catalogue, Catalogues } from './model-catalogue.ts'
import { fetchOver } from './upstream-fetch.ts'

export interface ConfiguredProvider {
  readonly name: string
  /** The id of the registered provider. */
  readonly kind: string
  readonly config: ProviderConfig
  /** What reaches it, mostly the network; no reply holds its keys. */
  readonly send: Send
  readonly connection: Connection
  /** What the provider itself lists; undefined for the demo models, whose list is known. */
  readonly catalogue: Catalogue | undefined
}

export type Providers = ReadonlyMap<string, ConfiguredProvider>

export interface OpeningOptions {
  readonly send: Send
  readonly env: Environment
  readonly memories: ServiceMemories
  readonly catalogues: Catalogues
}

/** In the order of the configuration; the demo models come last. */
export function openProviders(
  { providers = {}, demo = true }: GatewayConfig,
  { send, env, memories, catalogues }: OpeningOptions,
): Providers {
  const found = new Map<string, ConfiguredProvider>()
  function open(name: string, config: ProviderConfig, kind: Provider, sender: Send): void {
    // Errors name the provider as the configuration does.
    const connection = openConnection(
      { ...kind, id: name },
      { ...config, env, fetch: fetchOver(sender) },
      ({ base }) => memories.of(kind.id, base),
      `providers.${name}.`,
    )
    found.set(name, {
      name,
      config,
      kind: kind.id,
      send: maskedSend(sender, connection.secrets),
      connection,
      catalogue: kind === demoProvider ? undefined : catalogues.of(name, connection),
    })
  }
  for (const [name, config] of Object.entries(providers)) {
    open(name, config, getProvider(config.provider ?? name), send)
  }
  if (demo && !found.has(demoProvider.id)) {
    const models = listDemoModels().map(({ id }) => id)
    open(demoProvider.id, { models, onlyListed: true }, demoProvider, createDemoSend())
  }
  return found
}

export function isDemo({ kind }: ConfiguredProvider): boolean {
  return kind === demoProvider.id
}

/** The models that a provider has, as far as is known: those that are configured, or else those of its own list. */
export function modelsOf({ config, catalogue }: ConfiguredProvider): readonly string[] {
  return config.models ?? catalogue?.names() ?? []
}

/** What is known of a model without asking; an answer about the model alone says more than a list. */
export function factsOf({ connection, catalogue }: ConfiguredProvider, model: string): ModelFacts {
  const { id: _, ...facts } = catalogue?.find(model) ?? { id: model }
  return { ...facts, ...connection.models.factsOf(model) }
}
