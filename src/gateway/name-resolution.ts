/**
 * Which model of which provider a name means. In this order: a name or pattern of the configuration's `models`,
 * `provider/model`, a model that a provider lists (the first in the order of the configuration), and `alias/model`,
 * where the alias is another name of a registered provider.
 */

import { type ExtraBody, mergeExtraBody } from '../client/extra-body.ts'
import { mergeSending, type SendingOptions } from '../client/sending-options.ts'
import { createRecentMap } from '../core/recent-map.ts'
import { findProvider } from '../providers/registry.ts'
import { mergeReading, type ReadingOptions } from '../reading-options.ts'
import type { ChainLink, ModelConfig, ReadingConfig } from './config.ts'
import { byExactness, starIn, withoutLatest, withStar } from './model-names.ts'
import { type ConfiguredProvider, isDemo, modelsOf, type Providers } from './open-providers.ts'

type Layered = keyof ReadingConfig | keyof SendingOptions | keyof ExtraBody

export interface Link extends Partial<Omit<ChainLink, 'model' | Layered>> {
  readonly provider: ConfiguredProvider
  readonly model: string
  readonly reading?: ReadingOptions
  readonly sending?: SendingOptions
  readonly extra?: ExtraBody
}

export interface NameResolution {
  /** Who is asked, in turn; undefined when the name means nothing. Throws when none of its links means anything. */
  resolve(name: string): readonly Link[] | undefined
  /** The entry of `models` that a name fits. */
  configured(name: string): ModelConfig | undefined
  /** All names that mean the same model as this one, itself included. */
  spellings(name: string): readonly string[]
  /** Providers whose lists may change what the name means, because they have not been read. */
  undecided(name: string): readonly ConfiguredProvider[]
  /** `provider/model` for each provider that lists a name without a provider; fewer than two are no ambiguity. */
  candidates(name: string): readonly string[]
}

export interface ResolutionOptions {
  /** The error for a link of `models` that means nothing. */
  readonly unknown: (name: string) => Error
  /** A number that changes with the providers' lists. */
  readonly generation: () => number
}

const MAX_DEPTH = 8
/** Names that clients make up must not fill the memory. */
const MAX_REMEMBERED = 2000

export function createNameResolution(
  models: ReadonlyMap<string, ModelConfig>,
  providers: Providers,
  { unknown, generation }: ResolutionOptions,
): NameResolution {
  const patterns = [...models.keys()].sort(byExactness)
  const found = createRecentMap<readonly Link[]>({ maxEntries: MAX_REMEMBERED })
  const real = [...providers.values()].filter((provider) => !isDemo(provider))

  function patternOf(name: string): string | undefined {
    return patterns.find((pattern) => starIn(name, pattern) !== undefined)
  }

  function configured(name: string): ModelConfig | undefined {
    const pattern = patternOf(name)
    return pattern === undefined ? undefined : models.get(pattern)
  }

  /** Links to providers, with names of other chains resolved. */
  function linksFor(name: string, depth: number): readonly Link[] | undefined {
    if (name === '' || depth > MAX_DEPTH) return undefined
    const pattern = patternOf(name)
    const own = pattern === undefined ? undefined : models.get(pattern)
    if (pattern !== undefined && own) return linksOf(own, starIn(name, pattern) ?? '', depth)
    const link = modelLink(name)
    return link && [link]
  }

  function linksOf(own: ModelConfig, star: string, depth: number): Link[] {
    const { chain, toolMode, protocol } = own
    const missing: string[] = []
    const all = chain.flatMap((one) => {
      const link: ChainLink = typeof one === 'string' ? { model: one } : one
      const name = withStar(link.model, star)
      const found = directLink(name)
      const links = found ? [found] : linksFor(name, depth + 1)
      if (!links) missing.push(name)
      return (links ?? []).map((resolved) => {
        const reading = mergeReading(own, link, resolved.reading ?? {})
        const sending = mergeSending(own, link, resolved.sending ?? {})
        const extra = mergeExtraBody(own, link, resolved.extra ?? {})
        return { toolMode, protocol, ...defined(link), ...resolved, reading, sending, extra }
      })
    })
    // A server that is away does not take the others of its chain along.
    const [first] = missing
    if (all.length === 0 && first !== undefined) throw unknown(first)
    return all
  }

  function modelLink(name: string): Link | undefined {
    return directLink(name) ?? listedLinks(name)[0] ?? aliasLink(name)
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

  /**
   * Models of that name which providers list; exact names come first. Demo models have no such names: whoever asks for
   * a model of a server that is away must not get one of these.
   */
  function listedLinks(name: string): readonly Link[] {
    const id = `${generation()} ${name}`
    const links = found.get(id) ?? findListed(name)
    found.set(id, links)
    return links
  }

  function findListed(name: string): readonly Link[] {
    const plain = withoutLatest(name)
    const exact: Link[] = []
    const similar: Link[] = []
    for (const provider of real) {
      const listed = modelsOf(provider)
      const model = listed.includes(name)
        ? name
        : listed.find((one) => withoutLatest(one) === plain)
      if (model !== undefined) (model === name ? exact : similar).push({ provider, model })
    }
    return [...exact, ...similar]
  }

  function spellings(name: string): readonly string[] {
    const link = patternOf(name) === undefined ? modelLink(name) : undefined
    if (!link) return [name]
    const { provider } = link
    const same = namesOf(link)
    const bare = same.filter((one) => {
      const meant = patternOf(one) === undefined ? modelLink(one) : undefined
      return meant?.provider === provider && same.includes(meant.model)
    })
    return [...new Set([name, ...same.map((one) => `${provider.name}/${one}`), ...bare])]
  }

  function undecided(name: string, depth = 0): readonly ConfiguredProvider[] {
    if (name === '' || depth > MAX_DEPTH) return []
    const pattern = patternOf(name)
    const own = pattern === undefined ? undefined : models.get(pattern)
    if (own) {
      const star = starIn(name, pattern ?? '') ?? ''
      const links = own.chain.map((one) =>
        withStar(typeof one === 'string' ? one : one.model, star),
      )
      return links.flatMap((link) => (directLink(link) ? [] : undecided(link, depth + 1)))
    }
    if (directLink(name)) return []
    const [found] = listedLinks(name)
    const listing = real.filter(({ config }) => config.models === undefined)
    if (!found) return listing
    // A provider of higher precedence may have a model of the same name.
    const before = real.slice(0, real.indexOf(found.provider))
    return listing.filter((one) => before.includes(one) && one.catalogue?.wasAsked() === false)
  }

  return {
    resolve: (name) => linksFor(name, 0),
    configured,
    spellings,
    undecided: (name) => undecided(name),
    candidates(name) {
      if (patternOf(name) !== undefined || directLink(name)) return []
      return listedLinks(name).map(({ provider, model }) => `${provider.name}/${model}`)
    },
  }
}

/** The names under which a provider has a model: with `:latest` and without, unless these are two models. */
function namesOf({ provider, model }: Link): readonly string[] {
  const plain = withoutLatest(model)
  const listed = modelsOf(provider).filter((one) => withoutLatest(one) === plain)
  return listed.length > 1 ? [model] : [...new Set([model, plain, ...listed])]
}

/** Without the fields that say nothing, which would hide those that do. */
function defined({ model: _, ...link }: ChainLink): Partial<ChainLink> {
  return Object.fromEntries(Object.entries(link).filter(([, value]) => value !== undefined))
}
