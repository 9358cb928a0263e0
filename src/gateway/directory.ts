/** Which models there are, and who answers to which name. */

import { type Connection, openConnection } from '../client/connection.ts'
import type { Environment } from '../client/endpoint.ts'
import { type ExtraBody, mergeExtraBody } from '../client/extra-body.ts'
import { USUAL_COOLDOWNS } from '../client/fallback/circuit.ts'
import { createMembers, type Member, type MemberSpec } from '../client/fallback/member.ts'
import { checkSending, mergeSending, type SendingOptions } from '../client/sending-options.ts'
import type { ServiceMemories } from '../client/service-memory.ts'
import { InvalidInputError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import { createRecentMap } from '../core/recent-map.ts'
import { FREE, listPrice, type Price } from '../providers/prices.ts'
import type { Provider } from '../providers/provider.ts'
import { allProviders, findProvider, getProvider } from '../providers/registry.ts'
import { checkReading, mergeReading, type ReadingOptions } from '../reading-options.ts'
import { checkModel, mayUse } from './access.ts'
import type {
  ChainLink,
  ClientKey,
  GatewayConfig,
  ModelConfig,
  ProviderConfig,
  ReadingConfig,
  ToolMode,
} from './config.ts'
import { listDemoModels } from './demo/demo-models.ts'
import { demoProvider } from './demo/demo-provider.ts'
import { createDemoSend } from './demo/demo-send.ts'
import { GatewayError } from './gateway-error.ts'
import type { Send } from './http.ts'
import { checkLimit, type Limits } from './limits.ts'
import type { LoadBoard } from './load-board.ts'
import { maskedSend } from './masked-send.ts'
import { byExactness, starIn, withStar } from './model-names.ts'
import { shownName } from './shown-text.ts'
import type { CircuitBoard } from './state.ts'
import { createTarget, type Target } from './target.ts'
import { fetchOver } from './upstream-fetch.ts'

export interface Directory {
  /** Those who answer to a name. Throws a GatewayError when nobody does, or nobody whom this key may ask. */
  find(model: string, key: ClientKey | undefined, wish?: ModelWish): Chain
  list(): readonly ListedModel[]
}

/** What a single request wants otherwise. */
export interface ModelWish {
  readonly toolMode?: ToolMode | undefined
  readonly protocol?: string | undefined
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
  /** The name of the provider, or of the chain's first. */
  readonly provider: string
}

export interface DirectoryOptions {
  readonly send: Send
  readonly env: Environment
  readonly circuits: CircuitBoard
  readonly loads: LoadBoard
  /** What is known of the providers' models, whatever the configuration was before. */
  readonly memories: ServiceMemories
  readonly limits: Pick<Limits, 'modelNameLength' | 'replyBytes'>
  readonly now: () => number
}

/** Names that clients make up must not fill the memory. */
const MAX_CHAINS = 2000
const MAX_CHAIN_BYTES = 32 * 1024 * 1024
/** What a chain takes besides its name, roughly: a client and what it was opened with. */
const CHAIN_BYTES = 8 * 1024
const MAX_DEPTH = 8

/** @throws InvalidInputError when a provider is unknown or lacks what it needs. */
export function createDirectory(config: GatewayConfig, options: DirectoryOptions): Directory {
  const providers = openProviders(config, options)
  const models = new Map(
    Object.entries(config.models ?? {}).map(([name, own]) => [name, readModel(own)]),
  )
  const patterns = [...models.keys()].sort(byExactness)
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
    checkModel(key, model)
    const chain = chainOf(model, wish)
    if (chain) return chain
    const { defaultModel } = config
    // A name that the key may use must not lead to a model that it may not use.
    const usual =
      defaultModel !== undefined && mayUse(key, defaultModel) && chainOf(defaultModel, wish)
    if (!usual) throw unknownModel(model, providers)
    return usual
  }

  function chainOf(model: string, wish: ModelWish): Chain | undefined {
    // The name comes last: only it may have spaces.
    const name = `${wish.toolMode} ${wish.protocol} ${model}`
    const known = chains.get(name)
    if (known) return known
    const links = linksFor(model, 0)
    if (!links) return undefined
    const chain = openChain(model, links, wish)
    chains.set(name, chain)
    return chain
  }

  function openChain(model: string, links: readonly Link[], wish: ModelWish): Chain {
    const settings = settingsOf(model)
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

  function settingsOf(model: string): Chain['settings'] {
    const pattern = patterns.find((one) => starIn(model, one) !== undefined)
    return (pattern === undefined ? undefined : models.get(pattern)) ?? {}
  }

  /** Links to providers, with names of other chains resolved. */
  function linksFor(model: string, depth: number): readonly Link[] | undefined {
    if (model === '' || depth > MAX_DEPTH) return undefined
    for (const pattern of patterns) {
      const star = starIn(model, pattern)
      const own = models.get(pattern)
      if (star !== undefined && own) return linksOf(own, star, depth)
    }
    const direct = directLink(model) ?? listedLink(model) ?? aliasLink(model)
    return direct && [direct]
  }

  function linksOf(own: ModelConfig, star: string, depth: number): Link[] {
    const { chain, toolMode, protocol } = own
    return chain.flatMap((one) => {
      const link: ChainLink = typeof one === 'string' ? { model: one } : one
      const name = withStar(link.model, star)
      const found = directLink(name)
      const links = found ? [found] : linksFor(name, depth + 1)
      if (!links) throw unknownModel(name, providers)
      return links.map((resolved) => {
        const reading = mergeReading(own, link, resolved.reading ?? {})
        const sending = mergeSending(own, link, resolved.sending ?? {})
        const extra = mergeExtraBody(own, link, resolved.extra ?? {})
        return { toolMode, protocol, ...defined(link), ...resolved, reading, sending, extra }
      })
    })
  }

  /** `provider/model` */
  function directLink(name: string): Link | undefined {
    const slash = name.indexOf('/')
    const provider = providers.get(name.slice(0, slash))
    const model = name.slice(slash + 1)
    if (slash < 1 || model === '' || !provider) return undefined
    const { models: listed = [], onlyListed } = provider.config
    return onlyListed && !listed.includes(model) ? undefined : { provider, model }
  }

  /** `alias/model`, where the provider is configured under its id. */
  function aliasLink(name: string): Link | undefined {
    const slash = name.indexOf('/')
    const id = findProvider(name.slice(0, Math.max(slash, 0)))?.id
    return id === undefined ? undefined : directLink(id + name.slice(slash))
  }

  /** A model that one of the providers lists. */
  function listedLink(name: string): Link | undefined {
    const plain = name.replace(/:latest$/, '')
    for (const provider of providers.values()) {
      const listed = provider.config.models ?? []
      const model = listed.find((one) => one === name || one.replace(/:latest$/, '') === plain)
      if (model !== undefined) return { provider, model }
    }
    return undefined
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

  function list(): ListedModel[] {
    const own = [...models].filter(([name, { hidden }]) => !hidden && !name.includes('*'))
    const listed = [...providers.values()].flatMap(({ name, shown }) =>
      shown.map((id) => ({ id: `${name}/${id}`, provider: name })),
    )
    return [...own.map(([id]) => ({ id, provider: 'toolglot' })), ...listed]
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
    if (model.includes('*') || linksFor(model, 0)) return
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

  return { find, list }
}

interface ConfiguredProvider {
  readonly name: string
  /** The id of the registered provider. */
  readonly kind: string
  readonly config: ProviderConfig
  /** What reaches it, mostly the network; no reply holds its keys. */
  readonly send: Send
  readonly connection: Connection
  /** The models that are listed. */
  readonly shown: readonly string[]
}

type Providers = ReadonlyMap<string, ConfiguredProvider>

type Layered = keyof ReadingConfig | keyof SendingOptions | keyof ExtraBody

interface Link extends Partial<Omit<ChainLink, 'model' | Layered>> {
  readonly provider: ConfiguredProvider
  readonly model: string
  readonly reading?: ReadingOptions
  readonly sending?: SendingOptions
  readonly extra?: ExtraBody
}

function openProviders(
  { providers = {}, demo = true }: GatewayConfig,
  { send, env, memories }: DirectoryOptions,
): Providers {
  const found = new Map<string, ConfiguredProvider>()
  function add(own: Omit<ConfiguredProvider, 'connection' | 'kind'>, kind: Provider): void {
    const { name, config } = own
    // Errors name the provider as the configuration does.
    const connection = openConnection(
      { ...kind, id: name },
      { ...config, env, fetch: fetchOver(own.send) },
      ({ base }) => memories.of(kind.id, base),
      `providers.${name}.`,
    )
    found.set(name, {
      ...own,
      kind: kind.id,
      send: maskedSend(own.send, connection.secrets),
      connection,
    })
  }
  for (const [name, config] of Object.entries(providers)) {
    add({ name, config, send, shown: config.models ?? [] }, getProvider(config.provider ?? name))
  }
  const { id: name } = demoProvider
  if (demo && !found.has(name)) {
    const models = listDemoModels().map(({ id }) => id)
    // The damaged ones are many, and a list is for choosing.
    const shown = models.filter((id) => !id.includes(':'))
    add({ name, config: { models, onlyListed: true }, shown, send: createDemoSend() }, demoProvider)
  }
  return found
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

/** Without the fields that say nothing, which would hide those that do. */
function defined({ model: _, ...link }: ChainLink): Partial<ChainLink> {
  return Object.fromEntries(Object.entries(link).filter(([, value]) => value !== undefined))
}

/** Longer names are no slips of the keyboard. */
const MAX_GUESSED = 100

/** What to do about it, as far as a client may know: names beside the one it has written it may not see. */
function unknownModel(model: string, providers: Providers): GatewayError {
  const [provider = ''] = model.split('/', 1)
  const known = providers.get(provider)
  const message =
    model === ''
      ? 'the request names no model; GET /v1/models lists those there are'
      : `there is no model ${JSON.stringify(shownName(model))}${guess(model, known)}; ` +
        (known ? LISTED : (howToAdd(provider) ?? LISTED))
  return new GatewayError('unknown_model', message)
}

const LISTED = 'GET /v1/models lists those there are'

function guess(model: string, provider: ConfiguredProvider | undefined): string {
  if (!provider || model.length > MAX_GUESSED) return ''
  return didYouMean(
    model,
    provider.shown.map((one) => `${provider.name}/${one}`),
  )
}

/** For a provider that there is, but not here. */
function howToAdd(id: string): string | undefined {
  const provider = findProvider(id)
  if (!provider) return undefined
  const [variable] = provider.keyOptional ? [] : provider.keyVariables
  const key = variable === undefined ? '' : `set ${variable} where the gateway runs, or `
  return `${provider.name} is not set up: ${key}add ${JSON.stringify(provider.id)} to its "providers"`
}
