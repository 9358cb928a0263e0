/** Configuration files that are programs: TypeScript or JavaScript. */
import type { Environment } from '../../client/endpoint.ts'
import type { JsonPath } from '../../core/issue.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { thrownMessage } from '../../core/thrown-message.ts'
import type { FoundFile } from './find-file.ts'
import { ConfigError, type Finding } from './problem.ts'

export interface ModuleValue {
  readonly value: JsonValue
  readonly findings: readonly Finding[]
}

/** Loaded anew each time, with everything it imports. */
export async function readModuleFile(file: FoundFile, env: Environment): Promise<ModuleValue> {
  const given = await loadModule(file, env)
  const findings: Finding[] = []
  return { value: asJson(given, [], findings) ?? {}, findings }
}

async function loadModule({ path, name }: FoundFile, env: Environment): Promise<unknown> {
  const { createJiti } = await import('jiti')
  const jiti = createJiti(path, {
    moduleCache: false,
    fsCache: false,
    interopDefault: false,
  })
  try {
    const exported = exportedBy(await jiti.import(path))
    const given: unknown = typeof exported === 'function' ? await exported({ env }) : exported
    if (given !== undefined) return given
  } catch (error) {
    throw new ConfigError([
      { where: name + placeIn(error, path), path: [], message: wordsOf(error) },
    ])
  }
  const message =
    'exports no configuration; write export default { … } or export const config = { … }'
  throw new ConfigError([{ where: name, path: [], message }])
}

/** The default export, or the one called `config`; the whole of a CommonJS module. */
function exportedBy(module: unknown): unknown {
  if (typeof module !== 'object' || module === null) return module
  if ('default' in module) return module.default
  if ('config' in module) return module.config
  return '__esModule' in module ? undefined : module
}

function wordsOf(error: unknown): string {
  const [first = ''] = thrownMessage(error).split('\n')
  return `cannot be loaded: ${first}`
}

/** `:line:column` of the innermost place in the file that the error passed. */
function placeIn(error: unknown, path: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const at = stack.indexOf(`${path}:`)
  return at === -1 ? '' : (/^:\d+:\d+/.exec(stack.slice(at + path.length))?.[0] ?? '')
}

/** Deeper than any configuration, so that one that contains itself comes to an end. */
const MAX_DEPTH = 32

/** The value as JSON could hold it; undefined for what is left out. */
function asJson(value: unknown, path: JsonPath, findings: Finding[]): JsonValue | undefined {
  if (path.length > MAX_DEPTH) {
    findings.push({ path: path.slice(0, 3), message: 'is nested too deeply' })
    return null
  }
  if (value === undefined || value === null) return value
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (Array.isArray(value)) {
    return value.map((item, at) => asJson(item, [...path, at], findings) ?? null)
  }
  if (typeof value === 'object' && isPlain(value)) return objectAsJson(value, path, findings)
  findings.push({ path, message: `must be a plain value, got ${kindOf(value)}` })
  return null
}

function objectAsJson(object: object, path: JsonPath, findings: Finding[]): JsonObject {
  const entries = Object.entries(object).flatMap(([key, item]): [string, JsonValue][] => {
    const value = asJson(item, [...path, key], findings)
    return value === undefined ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}

// From another realm the prototype is another object, but it ends there as well.
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function kindOf(value: unknown): string {
  if (typeof value === 'object') return `a ${value?.constructor?.name ?? 'strange object'}`
  return typeof value === 'number' ? String(value) : `a ${typeof value}`
}
