/** The configuration of a server, from options, environment, file and defaults, in this order. */
import { dirname, resolve } from 'node:path'
import type { Environment } from '../../client/endpoint.ts'
import { createSecrets } from '../../client/secrets.ts'
import { checkObject, checkText } from '../../core/caller-input.ts'
import type { JsonPath } from '../../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { readEnvironment } from './environment.ts'
import { contentOf, readFileLayer } from './file-layer.ts'
import { findConfigFile } from './find-file.ts'
import { type Layer, layerOf, mergeLayers } from './layer.ts'
import { checkMeaning, type MeaningOptions } from './meaning.ts'
import { type ConfiguredNames, impliedProviders } from './model-links.ts'
import { ConfigError, type ConfigProblem, type Finding, pathKey, showPath } from './problem.ts'
import { withoutOwnAddress } from './provider-settings.ts'
import { configSchema } from './schema.ts'
import { type ResolvedConfig, type ServerConfig, withDefaults } from './server-config.ts'
import { checkShape, fittingPart } from './shape.ts'

export interface LoadOptions {
  /** Where to look for the file, and what paths are relative to. */
  readonly cwd: string
  /** The file, when one is named. It must be there. */
  readonly file?: string | undefined
  readonly env: Environment
  /** What the command line says. */
  readonly flags?: ServerConfig | undefined
}

export interface LoadedConfig {
  readonly config: ResolvedConfig
  /** The whole path of the file. */
  readonly file?: string | undefined
  /** What the file said, for `watchConfig`. */
  readonly content?: string | undefined
  /** Who said what: a file, a variable or an option for each property that is set. */
  readonly sources: Readonly<Record<string, string>>
  /** What works, but probably not as it is meant. */
  readonly warnings: readonly string[]
}

const EXAMPLE = '{ cwd: process.cwd(), env: process.env }'

function checkLoadOptions(options: LoadOptions): void {
  checkObject('the options of loadConfig', options, EXAMPLE)
  checkText('cwd', options.cwd, `a folder, as in ${EXAMPLE}`)
  checkObject('env', options.env, `variables, as in ${EXAMPLE}`)
}

/** @throws ConfigError with everything that is wrong, each with its place. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  checkLoadOptions(options)
  const { cwd, env, flags = {} } = options
  const schema = configSchema()
  const file = findConfigFile(cwd, options.file, env)
  // First, so that a change while it is read is seen as one.
  const content = file && (await contentOf(file.path))
  const layers = [
    ...(file ? [await readFileLayer(file, env, schema)] : []),
    environmentLayer(env),
    flagsLayer(flags),
  ]
  const folder = file ? dirname(file.path) : cwd
  const { config, warnings } = understand(layers, schema, { env, folder })
  return {
    config: withDefaults(withWholePaths(config, folder)),
    file: file?.path,
    content,
    sources: sourcesOf(layers),
    warnings: [...warnings, ...(file?.others ?? []).map((name) => ignored(name, file?.name))],
  }
}

interface Understood {
  readonly config: ServerConfig
  readonly warnings: readonly string[]
}

function understand(
  layers: readonly Layer[],
  schema: JsonObject,
  { env, folder }: Omit<MeaningOptions, 'names'>,
): Understood {
  const shape = layers.flatMap((layer) => shapeProblems(layer, schema))
  const merged = mergeLayers(layers)
  const names = namesIn(merged)
  const sound = fittingPart(merged, schema, shape)
  // The cast: it fits the schema, which says what the type says.
  const config = sound as ServerConfig
  const meaning = checkMeaning(config, { env, folder, names })
  const hide = hiderOf(layers)
  const told = (finding: Finding): ConfigProblem => {
    const where = layerOf(layers, finding.path)?.where(finding) ?? 'configuration'
    return { ...finding, where, message: hide(finding.message) }
  }
  const problems = [...shape, ...meaning.problems.map(told)]
  if (problems.length > 0) throw new ConfigError(inOrder(problems, layers))
  const implied = impliedProviders(config, names)
  const safe = withoutOwnAddress(withImplied(config, [...implied.keys()]), env)
  const warnings = [...meaning.warnings, ...safe.warnings].map(told)
  return { config: safe.config, warnings: warnings.map(inWords) }
}

function shapeProblems(layer: Layer, schema: JsonObject): ConfigProblem[] {
  const told = new Set(layer.findings.map(({ path }) => pathKey(path)))
  const shape = checkShape(layer.value, schema, layer.quiet)
  // What has no value yet cannot have the right one.
  const others = shape.filter(({ path }) => !told.has(pathKey(path)))
  return [...layer.findings, ...others].map((finding) => ({
    ...finding,
    where: layer.where(finding),
  }))
}

function inOrder(problems: readonly ConfigProblem[], layers: readonly Layer[]): ConfigProblem[] {
  const place = (problem: ConfigProblem): number =>
    layerOf(layers, problem.path)?.order(problem) ?? 0
  return problems.toSorted((one, other) => place(one) - place(other))
}

function inWords({ where, path, message }: ConfigProblem): string {
  return `${where}: ${showPath(path)}: ${message}`
}

function hiderOf(layers: readonly Layer[]): (text: string) => string {
  const secrets = createSecrets()
  for (const secret of layers.flatMap((layer) => layer.secrets)) secrets.add(secret)
  return secrets.hide
}

function namesIn({ providers, models }: JsonObject): ConfiguredNames {
  return { providers: keysOf(providers), models: keysOf(models) }
}

function keysOf(value: JsonValue | undefined): string[] {
  return isJsonObject(value) ? Object.keys(value) : []
}

/** Whether to look for more is decided by what was configured, not by what follows from it. */
function withImplied(config: ServerConfig, implied: readonly string[]): ServerConfig {
  if (implied.length === 0) return config
  const { discover } = withDefaults(config)
  const added = Object.fromEntries(implied.map((name) => [name, {}]))
  return { ...config, discover, providers: { ...config.providers, ...added } }
}

function environmentLayer(env: Environment): Layer {
  const { value, variableAt } = readEnvironment(env)
  const source = (path: JsonPath): string => variableAt(path) ?? 'environment'
  return { value, source, where: ({ path }) => source(path), order: () => 0, ...UNTOUCHED }
}

function flagsLayer(flags: ServerConfig): Layer {
  // Options that were not given are there as undefined.
  const value: JsonObject = JSON.parse(JSON.stringify(flags))
  const source = (path: JsonPath): string => optionFor(path, value)
  return { value, source, where: ({ path }) => source(path), order: () => 0, ...UNTOUCHED }
}

const UNTOUCHED: Pick<Layer, 'findings' | 'quiet' | 'secrets'> = {
  findings: [],
  quiet: new Set(),
  secrets: [],
}

/** The option that says it: one for each key, and what is off is off by `--no-…`. */
function optionFor(path: JsonPath, value: JsonObject): string {
  const [first = '', ...rest] = path.filter(isWord)
  if (first === 'keys') return '--key'
  const isOff = rest.length === 0 && value[first] === false
  return [isOff ? '--no' : '-', first, ...rest].map(hyphenated).join('-')
}

function isWord(step: string | number): step is string {
  return typeof step === 'string'
}

function hyphenated(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function sourcesOf(layers: readonly Layer[]): Record<string, string> {
  const sources: Record<string, string> = {}
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer.value)) {
      const inner = key === 'log' && isJsonObject(value) ? Object.keys(value) : [undefined]
      for (const step of inner) {
        const path = step === undefined ? [key] : [key, step]
        sources[showPath(path)] = layer.source(path)
      }
    }
  }
  return sources
}

function withWholePaths(config: ServerConfig, folder: string): ServerConfig {
  const { tls } = config
  if (!tls) return config
  return { ...config, tls: { cert: resolve(folder, tls.cert), key: resolve(folder, tls.key) } }
}

function ignored(name: string, used: string | undefined): string {
  return `${name} is not read: ${used} is there as well, and comes first`
}
