/** Where the configuration file is. */
import { existsSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import type { Environment } from '../../client/endpoint.ts'
import { ConfigError } from './problem.ts'

/** In this order, the first that is there. */
const CONFIG_FILES: readonly string[] = ['json', 'jsonc', 'ts', 'mts', 'js', 'mjs'].map(
  (extension) => `toolglot.config.${extension}`,
)

export interface FoundFile {
  /** The whole path. */
  readonly path: string
  /** As people know it, for messages. */
  readonly name: string
  /** Others that are there and do not count. */
  readonly others: readonly string[]
}

/** Undefined when nobody named one and none is there. A named one must be. */
export function findConfigFile(
  cwd: string,
  named: string | undefined,
  env: Environment,
): FoundFile | undefined {
  const told = named ?? (env['TOOLGLOT_CONFIG'] || undefined)
  if (told === undefined) {
    const [name, ...others] = CONFIG_FILES.filter((file) => existsSync(resolve(cwd, file)))
    return name === undefined ? undefined : { path: resolve(cwd, name), name, others }
  }
  const path = resolve(cwd, told)
  const name = nameOf(path, cwd)
  const problem = problemWith(path)
  if (problem === undefined) return { path, name, others: [] }
  const who = named === undefined ? ' (named by TOOLGLOT_CONFIG)' : ''
  throw new ConfigError([{ where: name, path: [], message: problem + who }])
}

function problemWith(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false })
  if (!status) return 'no such file'
  if (status.isDirectory()) return 'is a directory; name the file in it'
  if (/\.(?:jsonc?|[cm]?[jt]s)$/i.test(path)) return undefined
  return 'is no kind of file that is read; use .json, .jsonc, .ts, .mts, .js or .mjs'
}

/** Short where it can be. */
function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, path) || '.'
  return name.startsWith('..') || isAbsolute(name) ? path : name
}
