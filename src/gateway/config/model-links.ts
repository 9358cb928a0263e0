/** The names of models and who answers to them: everybody must exist, and nobody may wait for himself. */
import type { JsonPath } from '../../core/issue.ts'
import { nearest } from '../../core/nearest.ts'
import { allProviders, findProvider, nearestProvider } from '../../providers/registry.ts'
import type { GatewayConfig } from '../config.ts'
import { listDemoModels } from '../demo/demo-models.ts'
import { demoProvider } from '../demo/demo-provider.ts'
import { byExactness, starIn } from '../model-names.ts'
import type { Finding } from './problem.ts'
import { type ServerConfig, withDefaults } from './server-config.ts'
import { suggestion } from './shape.ts'

/** Everything that is named, also where what it stands for cannot be used. */
export interface ConfiguredNames {
  readonly providers: readonly string[]
  readonly models: readonly string[]
}

/** One name on the right side of `models`, and where it stands. */
interface Link {
  readonly path: JsonPath
  readonly name: string
}

export function checkModels(config: ServerConfig, names: ConfiguredNames): readonly Finding[] {
  const models = Object.keys(config.models ?? {})
  const links = models.flatMap((model) => linksOf(config, model))
  return [
    ...models.flatMap(checkPattern),
    ...links.flatMap((link) => checkWildcard(link)),
    ...[...links, ...defaultLink(config)].flatMap((link) => checkTarget(link, config, names)),
    ...findCycles(config, names),
  ]
}

/** Providers that models name without their being configured, each with the first that does. */
export function impliedProviders(
  config: GatewayConfig,
  names: ConfiguredNames,
): ReadonlyMap<string, JsonPath> {
  const models = Object.keys(config.models ?? {})
  const links = [...models.flatMap((model) => linksOf(config, model)), ...defaultLink(config)]
  const implied = new Map<string, JsonPath>()
  for (const { name, path } of links) {
    const provider = providerOf(name, config, names)
    if (provider === undefined || provider === demoProvider.id || implied.has(provider)) continue
    if (!names.providers.includes(provider)) implied.set(provider, path)
  }
  return implied
}

function defaultLink({ defaultModel }: GatewayConfig): Link[] {
  return defaultModel === undefined ? [] : [{ path: ['defaultModel'], name: defaultModel }]
}

function linksOf({ models = {} }: GatewayConfig, model: string): readonly Link[] {
  const given = models[model]
  const path = ['models', model]
  if (given === undefined) return []
  if (typeof given === 'string') return [{ path, name: given }]
  if (!('chain' in given)) return given.map((name, at) => ({ path: [...path, at], name }))
  return given.chain.map((link, at) =>
    typeof link === 'string'
      ? { path: [...path, 'chain', at], name: link }
      : { path: [...path, 'chain', at, 'model'], name: link.model },
  )
}

function checkPattern(model: string): Finding[] {
  const refuse = (message: string): Finding[] => [
    { path: ['models', model], message, isAboutName: true },
  ]
  if (model === '') return refuse('a model must have a name')
  return starsIn(model) > 1 ? refuse('a name may have one * only') : []
}

function checkWildcard({ path, name }: Link): Finding[] {
  const left = String(path[1])
  if (starsIn(name) === 0) return []
  if (starsIn(name) > 1) return [{ path, message: 'there may be one * only' }]
  if (starsIn(left) > 0) return []
  return [{ path, message: `there is nothing for * to stand for: "${left}" has none` }]
}

function starsIn(name: string): number {
  return name.split('*').length - 1
}

function checkTarget(link: Link, config: ServerConfig, names: ConfiguredNames): Finding[] {
  const { path, name } = link
  const provider = providerOf(name, config, names)
  if (provider !== undefined) return checkListed(link, provider, config)
  if (aliasOf(name, names) !== undefined || isListed(name, config)) return []
  const slash = name.indexOf('/')
  if (slash !== -1) return [{ path, message: unknownProvider(name.slice(0, slash), names) }]
  // A server that is found when the gateway starts may have it.
  if (withDefaults(config).discover) return []
  const message = `there is no model "${name}"; write provider/model, or a name from models`
  return [{ path, message }]
}

function unknownProvider(provider: string, names: ConfiguredNames): string {
  const known = [...new Set([...names.providers, ...allProviders.map(({ id }) => id)])]
  const meant = nearest(provider, names.providers) ?? nearestProvider(provider)
  return `there is no provider "${provider}"; ${suggestion(provider, known, meant)}`
}

/** Where only certain models can be asked, it must be one of them. */
function checkListed({ path, name }: Link, provider: string, config: ServerConfig): Finding[] {
  const listed = onlyModelsOf(provider, config)
  const model = name.slice(name.indexOf('/') + 1)
  if (!listed || starsIn(model) > 0 || listed.includes(model)) return []
  return [{ path, message: `${provider} has no model "${model}"; ${suggestion(model, listed)}` }]
}

function onlyModelsOf(
  provider: string,
  { providers = {} }: ServerConfig,
): readonly string[] | undefined {
  const { onlyListed = false, models = [] } = providers[provider] ?? {}
  if (onlyListed && models.length > 0) return models
  const isBuiltIn = provider === demoProvider.id && !Object.hasOwn(providers, provider)
  return isBuiltIn ? listDemoModels().map(({ id }) => id) : undefined
}

function isListed(name: string, { providers = {} }: ServerConfig): boolean {
  return Object.values(providers).some(({ models = [] }) => models.includes(name))
}

/** The provider that the part before the slash names: as it is configured, or else by its id. */
function providerOf(
  name: string,
  config: GatewayConfig,
  names: ConfiguredNames,
): string | undefined {
  const { demo = true } = config
  const slash = name.indexOf('/')
  if (slash < 1 || slash === name.length - 1) return undefined
  const provider = name.slice(0, slash)
  const isOwn = names.providers.includes(provider) || (demo && provider === demoProvider.id)
  if (isOwn) return provider
  const id = findProvider(provider)?.id
  // Routers have models such as `qwen/qwen3`, which are not for the provider of that name.
  return id === provider || !isListed(name, config) ? id : undefined
}

/** The name in `models` that a name means: itself, or the most exact pattern that fits. */
function aliasOf(name: string, { models }: ConfiguredNames): string | undefined {
  const patterns = models.toSorted(byExactness)
  return patterns.find((pattern) => starIn(name, pattern) !== undefined)
}

/** Each circle once, told where it closes. */
function findCycles(config: GatewayConfig, names: ConfiguredNames): readonly Finding[] {
  const findings: Finding[] = []
  const done = new Set<string>()

  function follow(model: string, way: readonly string[]): void {
    if (done.has(model)) return
    for (const { path, name } of linksOf(config, model)) {
      if (providerOf(name, config, names) !== undefined) continue
      const next = aliasOf(name, names)
      if (next === undefined) continue
      const from = [...way, model].indexOf(next)
      if (from === -1) follow(next, [...way, model])
      else findings.push({ path, message: describeCycle([...way, model].slice(from), next) })
    }
    done.add(model)
  }

  for (const model of Object.keys(config.models ?? {})) follow(model, [])
  return findings
}

function describeCycle(models: readonly string[], closing: string): string {
  return `leads back to itself: ${[...models, closing].join(' → ')}`
}
