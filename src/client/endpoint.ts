/** Where a provider is, from what it says, what the caller says and what the environment says. */
import { InvalidInputError } from '../core/errors.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Provider, Route } from '../providers/provider.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface EndpointOptions {
  readonly baseUrl?: string | undefined
  readonly settings?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly env: Environment
}

export interface Endpoint {
  /** The address that all paths are added to. */
  readonly base: URL
  /** The settings that have a value. */
  readonly settings: Readonly<Record<string, string>>
  url(route: Route, model: string, stream: boolean): URL
  /** The address of a path that may have `{model}` in it. */
  at(path: string, model: string): URL
  /** Those that the provider wants, and the caller's, which come first; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Fields of each request's body that settings say. */
  readonly fields: JsonObject
  /** Definitions of tools for requests that bring none. */
  readonly tools: readonly JsonValue[] | undefined
}

export function processEnvironment(): Environment {
  return typeof process === 'undefined' ? {} : process.env
}

/** Throws a TypeError that says what is missing. */
export function resolveEndpoint(provider: Provider, options: EndpointOptions): Endpoint {
  const { env } = options
  const settings = readSettings(provider, options)
  const told = options.baseUrl ?? firstSet(provider.baseUrlVariables ?? [], env)
  const base = readBase(provider, told ?? fillIn(provider.baseUrl, settings, provider))
  return {
    base,
    settings,
    headers: readHeaders(provider, options.headers, settings),
    fields: readFields(provider, settings),
    tools: readTools(provider, settings),
    url: (route, model, stream) =>
      addressOf(base, (stream && route.paths.stream) || route.paths.chat, model),
    at: (path, model) => addressOf(base, path, model),
  }
}

/**
 * The provider itself, or another interface of the same service that a setting chooses.
 *
 * @throws InvalidInputError for an interface that there is not.
 */
export function interfaceOf(
  provider: Provider,
  options: Pick<EndpointOptions, 'settings' | 'env'>,
): Provider {
  const { interfaces } = provider
  if (!interfaces) return provider
  const { setting, usual, others } = interfaces
  const wanted = readSettings(provider, options)[setting] ?? usual
  if (wanted === usual) return provider
  const known = [usual, ...Object.keys(others)]
  if (!Object.hasOwn(others, wanted) || !others[wanted]) {
    throw new InvalidInputError(
      `settings.${setting} of ${provider.name} cannot be ${JSON.stringify(wanted)}${didYouMean(wanted, known)}; ` +
        `it takes ${known.join(' or ')}`,
    )
  }
  return { ...others[wanted], id: provider.id }
}

/** True for the names and addresses by which a machine means itself. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/.test(name)
}

export function firstSet(names: readonly string[], env: Environment): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '')
}

function readSettings(
  { settings = {} }: Provider,
  { settings: given = {}, env }: Pick<EndpointOptions, 'settings' | 'env'>,
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, { variables, default: usual }] of Object.entries(settings)) {
    const value = given[name] ?? firstSet(variables, env) ?? usual
    if (value !== undefined) values[name] = value
  }
  return { ...values, ...given }
}

function readHeaders(
  provider: Provider,
  given: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = lowerCase(given)
  const wanted = Object.entries(lowerCase(provider.headers ?? {}))
  const others = wanted.filter(
    ([name, template]) => !(name in own) && !lacksOptional(template, settings, provider),
  )
  const filled = others.map(([name, template]) => [
    name,
    fillIn(template, settings, provider, (value) => value),
  ])
  return { ...Object.fromEntries(filled), ...own }
}

/** True for a template with an optional setting that is not set. */
function lacksOptional(
  template: string,
  settings: Readonly<Record<string, string>>,
  { settings: known = {} }: Provider,
): boolean {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return names.some((name) => settings[name] === undefined && known[name]?.optional === true)
}

function readFields(
  { bodySettings = [] }: Provider,
  settings: Readonly<Record<string, string>>,
): JsonObject {
  return bodySettings.reduce<JsonObject>((fields, { setting, path, as }) => {
    const text = settings[setting]
    if (text === undefined || text.trim() === '') return fields
    return withField(fields, path, as === 'list' ? listIn(text) : text)
  }, {})
}

function withField(fields: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [name, ...rest] = path
  if (name === undefined) return fields
  const inner = fields[name]
  const object = isJsonObject(inner) ? inner : {}
  return { ...fields, [name]: rest.length > 0 ? withField(object, rest, value) : value }
}

function listIn(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}

function readTools(
  { name, toolsSetting, settings: known = {} }: Provider,
  settings: Readonly<Record<string, string>>,
): readonly JsonValue[] | undefined {
  const text = toolsSetting === undefined ? undefined : settings[toolsSetting]
  if (toolsSetting === undefined || text === undefined || text.trim() === '') return undefined
  const tools = parseStrict(text)
  if (Array.isArray(tools)) return tools
  const where = known[toolsSetting]?.variables.map((variable) => ` (${variable})`).join('')
  throw new InvalidInputError(
    `settings.${toolsSetting}${where} of ${name} must be a JSON list of tool definitions`,
  )
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}

function addressOf(base: URL, template: string, model: string): URL {
  return join(base, template.includes('{model}') ? withModel(template, model) : template)
}

/** A name is one part of a path, whatever is in it. */
function withModel(template: string, model: string): string {
  const path = template.replaceAll('{model}', () => pathPart(model))
  const [pathname = ''] = path.split('?')
  if (model !== '' && !pathname.split('/').some((part) => DOTS.has(part))) return path
  throw notInAddress('the name of the model', model)
}

/** Parts of a path that mean another one. */
const DOTS: ReadonlySet<string> = new Set(['.', '..'])

function pathPart(name: string): string {
  try {
    return encodeURIComponent(name)
  } catch {
    throw notInAddress('a name', name)
  }
}

function notInAddress(what: string, name: string): InvalidInputError {
  const shown = JSON.stringify(name.slice(0, MAX_SHOWN))
  return new InvalidInputError(`${what} cannot be a part of an address: ${shown}`)
}

const MAX_SHOWN = 100

/** The value of a setting, which may be a part of the path of its own. */
function settingPart(value: string): string {
  if (DOTS.has(value)) throw notInAddress('a setting', value)
  return pathPart(value)
}

/** The template with settings in place of `{name}`, as an address has them unless told otherwise. */
export function fillIn(
  template: string,
  settings: Readonly<Record<string, string>>,
  provider: Provider,
  write: (value: string) => string = settingPart,
): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = settings[name]
    if (value !== undefined) return write(value)
    throw new InvalidInputError(missing(name, provider))
  })
}

export function missing(name: string, { name: who, settings = {} }: Provider): string {
  const { about = name, variables = [] } = settings[name] ?? {}
  const where = variables.length > 0 ? ` or set ${variables.join(' or ')}` : ''
  return `${who} needs ${about}: pass settings.${name}${where}`
}

function readBase({ name, baseUrl, baseUrlVariables = [] }: Provider, url: string): URL {
  if (url === '') {
    const where = baseUrlVariables.map((variable) => ` or set ${variable}`).join('')
    throw new InvalidInputError(`${name} can be anywhere: pass baseUrl${where}`)
  }
  if (OTHER_SCHEME.test(url))
    throw new InvalidInputError('the base URL begins with http:// or https://, not with another')
  const whole = /^https?:\/\//i.test(url) ? url : withPort(`http://${url}`, baseUrl)
  if (!URL.canParse(whole))
    throw new InvalidInputError('the base URL is none; write https://host/path')
  const base = new URL(whole)
  if (base.username === '' && base.password === '') return base
  throw new InvalidInputError(
    'the base URL has a password in it; pass it in headers.authorization instead',
  )
}

const OTHER_SCHEME = /^(?!https?:\/\/)[a-z][a-z0-9+.-]*:\/\//i

/** The path behind that of the base; both may have a query. */
function join(base: URL, path: string): URL {
  const url = new URL(base)
  const [pathname = '', query = ''] = path.split('?')
  url.pathname = base.pathname.replace(/\/+$/, '') + pathname
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value)
  return url
}

/** `OLLAMA_HOST` and its like are often just a host, perhaps with a port: the usual one if without. */
function withPort(url: string, usual: string): string {
  if (!URL.canParse(url) || !URL.canParse(usual)) return url
  const base = new URL(url)
  if (base.port === '' && !/:80(?:\/|$)/.test(url)) base.port = new URL(usual).port
  return base.href
}
