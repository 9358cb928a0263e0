/** Which models there are, and who answers to which name. */

import type { Environment } from '../client/endpoint.ts'
import { type ExtraBody, mergeExtraBody } from '../client/extra-body.ts'
import { USUAL_COOLDOWNS } from '../client/fallback/circuit.ts'
import { createMembers, type Member, type MemberSpec } from '../client/fallback/member.ts'
import { checkSending, mergeSending } from '../client/sending-options.ts'
import type { ServiceMemories } from '../client/service-memory.ts'
import { InvalidInputError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import { createRecentMap } from '../core/recent-map.ts'
import type { ModelFacts } from '../providers/model-info.ts'
import { FREE, listPrice, type Price } from '../providers/prices.ts'
import { allProviders, findProvider } from '../providers/registry.ts'
import { checkReading, mergeReading } from '../reading-options.ts'
import { mayUse, notAllowed } from './access.ts'
import type {
  ChainLink,
  ClientKey,
  GatewayConfig,
  ModelConfig,
  ProviderConfig,
  ToolMode,
} from './config.ts'
import { type DemoListing, demoNames, usualDemoListing } from './demo/demo-listing.ts'
import type { Send } from './http.ts'
import { checkLimit, type Limits } from './limits.ts'
import type { LoadBoard } from './load-board.ts'
import { type Catalogues, withinWait } from './model-catalogue.ts'
import { byExactness, starIn } from './model-names.ts'
import { createNameResolution, type Link } from './name-resolution.ts'
import {
  type ConfiguredProvider,
  factsOf,
  isDemo,
  modelsOf,
  openProviders,
} from './open-providers.ts'
import type { CircuitBoard } from './state.ts'
import { createTarget, type Target } from './target.ts'
import { unknownModel } from './unknown-model.ts'

export interface Directory {
  /** Those who answer to a name. Throws a GatewayError when nobody does, or nobody whom this key may ask. */
  find(model: string, key: ClientKey | undefined, wish?: ModelWish): Chain
  /** Reads the lists that decide what a name means, and whether the key may use it; never rejects. */
  ready(model: string, key: ClientKey | undefined): Promise<void>
  /** What is known now; nobody is asked. */
  list(demo?: DemoListing): readonly ListedModel[]
  /** The models that a key may use, after providers were asked that never were. */
  listFor(key: ClientKey | undefined, options?: ListOptions): Promise<readonly ListedModel[]>
  /** The providers in the order of the configuration. */
  providers(): readonly ConfiguredProvider[]
}

export interface ListOptions {
  /** Default: as the configuration has it. */
  readonly demo?: DemoListing | undefined
  /** How long providers are waited for whose list was never read. */
  readonly waitMs?: number | undefined
}

/** What a single request wants otherwise. */
export interface ModelWish {
  readonly toolMode?: ToolMode | undefined
  readonly protocol?: string | undefined
  /** Where a client of this API finds the list of models, for errors. */
  readonly listedAt?: string | undefined
}

export interface Chain {
  readonly name: string
  readonly members: readonly Member[]
  /** The target behind the client of a member. */
  targetOf(client: object): Target
  readonly settings: Pick<
    ModelConfig,
    'toolFallback' | 'loopGuard' | 'retries' | 'cooldownMs' | 'maxCooldownMs' | 'balance' | 'sticky'
  >
}

export interface ListedModel {
  readonly id: string
  /** The name of the provider; `toolglot` for a name of the configuration's `models`. */
  readonly provider: string
  /** What is known about it. */
  readonly facts: ModelFacts
}

export interface DirectoryOptions {
  readonly send: Send
  readonly env: Environment
  readonly circuits: CircuitBoard
  readonly loads: LoadBoard
  /** What is known of the providers' models, whatever the configuration was before. */
  readonly memories: ServiceMemories
  readonly catalogues: Catalogues
  /** Several providers have a model of this name; the first is asked. */
  readonly onAmbiguous: (name: string, candidates: readonly string[]) => void
  readonly limits: Pick<Limits, 'modelNameLength' | 'replyBytes'>
  readonly now: () => number
}

/** Names that clients make up must not fill the memory. */
const MAX_CHAINS = 2000
const MAX_CHAIN_BYTES = 32 * 1024 * 1024
/** What a chain takes besides its name, roughly: a client and what it was opened with. */
const CHAIN_BYTES = 8 * 1024
/** Nobody waits longer for lists of models than this: a server that is away answers to no name anyway. */
const NAME_WAIT_MS = 2000
const LIST_WAIT_MS = 1000

/** @throws InvalidInputError when a provider is unknown or lacks what it needs. */
export function createDirectory(config: GatewayConfig, options: DirectoryOptions): Directory {
  const providers = openProviders(config, options)
  const models = new Map(
    Object.entries(config.models ?? {}).map(([name, own]) => [name, readModel(own)]),
  )
  const hasProvider = (name: string): boolean => providers.has(name)
  const names = createNameResolution(models, providers, {
    unknown: (name) => unknownModel(name, { hasProvider }),
    generation: options.catalogues.generation,
  })
  const priced = Object.keys(config.prices ?? {}).sort(byExactness)
  const chains = createRecentMap<Chain>({
    maxEntries: MAX_CHAINS,
    maxBytes: MAX_CHAIN_BYTES,
    bytesOf: (name) => CHAIN_BYTES + 2 * name.length,
  })

  function find(model: string, key: ClientKey | undefined, wish: ModelWish = {}): Chain {
    checkLimit(
      'characters in the name of the model',
      model.length,
      options.limits,
      'modelNameLength',
    )
    if (!isAllowed(key, model)) throw notAllowed(model)
    const chain = chainOf(model, wish)
    if (chain) return chain
    const { defaultModel } = config
    // A name that the key may use must not lead to a model that it may not use.
    const usual =
      defaultModel !== undefined && isAllowed(key, defaultModel) && chainOf(defaultModel, wish)
    if (usual) return usual
    throw unknownModel(model, {
      shown: shown(key, model.startsWith('demo/') ? 'all' : 'none').map(({ id }) => id),
      listedAt: wish.listedAt,
      hasProvider,
    })
  }

  /** Rights hold for a model, whichever of its names is asked for. */
  function isAllowed(key: ClientKey | undefined, name: string): boolean {
    return mayUse(key, name) || names.spellings(name).some((one) => mayUse(key, one))
  }

  async function ready(model: string, key: ClientKey | undefined): Promise<void> {
    if (model.length > options.limits.modelNameLength) return
    const reading = undecided(model, key).map(({ catalogue }) =>
      catalogue?.refresh(catalogue.missMs),
    )
    if (reading.length > 0) await withinWait(Promise.all(reading), NAME_WAIT_MS)
    const candidates = names.candidates(model)
    if (candidates.length > 1) options.onAmbiguous(model, candidates)
  }

  function undecided(model: string, key: ClientKey | undefined): readonly ConfiguredProvider[] {
    const { defaultModel } = config
    const open = names.undecided(model)
    const usual = open.length > 0 && defaultModel !== undefined ? names.undecided(defaultModel) : []
    // The rights of the key may be for the bare name of a model that was asked for by its whole name.
    const others = mayUse(key, model) ? [] : [...providers.values()].filter(isUnread)
    return [...new Set([...open, ...usual, ...others])]
  }

  function chainOf(model: string, wish: ModelWish): Chain | undefined {
    // The name comes last: only it may have spaces.
    const name = `${options.catalogues.generation()} ${wish.toolMode} ${wish.protocol} ${model}`
    const known = chains.get(name)
    if (known) return known
    const links = names.resolve(model)
    if (!links) return undefined
    const chain = openChain(model, links, wish)
    chains.set(name, chain)
    return chain
  }

  function openChain(model: string, links: readonly Link[], wish: ModelWish): Chain {
    const settings: Chain['settings'] = names.configured(model) ?? {}
    const { cooldownMs = USUAL_COOLDOWNS.cooldownMs } = settings
    const { maxCooldownMs = USUAL_COOLDOWNS.maxCooldownMs } = settings
    const circuit = { cooldownMs, maxCooldownMs, now: options.now }
    const targets = links.map((link) => ({ link, target: openTarget(link, wish) }))
    const byClient = new Map<object, Target>(targets.map(({ target }) => [target.client, target]))
    const members = targets.map(
      ({ link, target }): MemberSpec => ({
        client: target.client,
        hadTools: target.hadTools,
        circuit: options.circuits.circuitFor(target.name, target.model, circuit),
        load: options.loads.loadOf(target.name, target.model),
        priority: link.priority,
        weight: link.weight,
        contextWindow: link.contextWindow,
      }),
    )
    return {
      name: model,
      settings,
      members: createMembers(members, circuit),
      targetOf(client) {
        const target = byClient.get(client)
        if (!target) throw new InvalidInputError('a client that is not in the chain')
        return target
      },
    }
  }

  function openTarget({ provider, model, ...link }: Link, wish: ModelWish): Target {
    const { name, connection, send, config: own } = provider
    const spec = {
      name,
      connection,
      config: own,
      model,
      toolMode: wish.toolMode ?? link.toolMode ?? own.toolMode ?? 'auto',
      protocol: wish.protocol ?? link.protocol ?? own.protocol,
      reading: mergeReading(own, link.reading ?? {}),
      sending: mergeSending(own, link.sending ?? {}),
      contextWindow: link.contextWindow,
      extra: mergeExtraBody(...extrasFor(own, model), link.extra ?? {}),
      price: priceOf(provider, model),
    }
    checkReading(spec.reading)
    return createTarget(spec, { send, maxReplyBytes: options.limits.replyBytes })
  }

  /** What the configuration says goes before list prices. */
  function priceOf({ name, kind }: ConfiguredProvider, model: string): Price | undefined {
    const pattern = priced.find((one) => starIn(`${name}/${model}`, one) !== undefined)
    const own = pattern === undefined ? undefined : config.prices?.[pattern]
    return own === 0 ? FREE : (own ?? listPrice(kind, model))
  }

  function list(demo?: DemoListing): readonly ListedModel[] {
    const own = [...models].filter(([name, { hidden }]) => !hidden && !name.includes('*'))
    const all = [...providers.values()]
    const real = [
      ...own.map(([id]) => ({ id, provider: 'toolglot', facts: factsOfChain(id) })),
      ...all.filter((one) => !isDemo(one)).flatMap((one) => listedBy(one, modelsOf(one))),
    ]
    const wanted = demo ?? usualDemoListing(config, real.length > 0)
    const shownDemos = all.filter(isDemo).flatMap((one) => listedBy(one, demoNames(wanted)))
    return [...real, ...shownDemos]
  }

  /** The first of a chain speaks for it; a model that cannot be opened is listed all the same. */
  function factsOfChain(name: string): ModelFacts {
    try {
      const [first] = names.resolve(name) ?? []
      if (!first) return {}
      const { provider, model, contextWindow } = first
      const facts = factsOf(provider, model)
      return contextWindow === undefined ? facts : { ...facts, contextWindow }
    } catch {
      return {}
    }
  }

  function shown(key: ClientKey | undefined, demo?: DemoListing): readonly ListedModel[] {
    return list(demo).filter(({ id }) => isAllowed(key, id))
  }

  async function listFor(
    key: ClientKey | undefined,
    { demo, waitMs = LIST_WAIT_MS }: ListOptions = {},
  ): Promise<readonly ListedModel[]> {
    const asked = [...providers.values()].map(async ({ catalogue }) => {
      const reading = catalogue?.refresh()
      // A list that was read before will do until the new one is there.
      if (catalogue?.wasAsked() === false) await reading
    })
    await withinWait(Promise.all(asked), waitMs)
    return shown(key, demo)
  }

  // Mistakes show when the gateway starts, not when the first client asks.
  checkReading(config.rescue ?? {})
  for (const own of models.values()) {
    for (const one of [own, ...own.chain]) {
      if (typeof one !== 'object') continue
      checkReading(one)
      checkSending(one)
    }
  }
  for (const [name, { chain }] of models) for (const link of chain) checkLink(name, link)
  function checkLink(name: string, link: string | ChainLink): void {
    const model = typeof link === 'string' ? link : link.model
    // A server may have it, which is asked when somebody wants the model.
    if (model.includes('*') || names.undecided(model).length > 0 || names.resolve(model)) return
    const [provider = ''] = model.split('/', 1)
    // One that is known may be added later, and the error for a client says how.
    if (model.includes('/') && findProvider(provider)) return
    const hint = didYouMean(provider, [...providers.keys(), ...allProviders.map(({ id }) => id)])
    const message = `models.${name}: nobody answers to ${JSON.stringify(model)}${hint}; write 'provider/model'`
    throw new InvalidInputError(message)
  }
  for (const { name } of providers.values()) checkProvider(name)
  function checkProvider(name: string): void {
    const provider = providers.get(name)
    if (provider) openTarget({ provider, model: provider.config.models?.[0] ?? 'any' }, {})
  }

  return { find, ready, list, listFor, providers: () => [...providers.values()] }
}

function isUnread({ catalogue }: ConfiguredProvider): boolean {
  return catalogue?.wasAsked() === false
}

function listedBy(provider: ConfiguredProvider, models: readonly string[]): readonly ListedModel[] {
  return models.map((model) => ({
    id: `${provider.name}/${model}`,
    provider: provider.name,
    facts: factsOf(provider, model),
  }))
}

/** What a provider adds to requests for a model, the most exact last. */
function extrasFor(config: ProviderConfig, model: string): readonly ExtraBody[] {
  const perModel = Object.entries(config.perModel ?? {})
  const fitting = perModel.filter(([pattern]) => starIn(model, pattern) !== undefined)
  fitting.sort(([one], [other]) => byExactness(other, one))
  return [config, ...fitting.map(([, extra]) => extra)]
}

function readModel(own: ModelConfig | string | readonly string[]): ModelConfig {
  if (typeof own === 'string') return { chain: [own] }
  return 'chain' in own ? own : { chain: own }
}
