/** The tools of a file: a module that exports them, or their definitions as JSON. */
import { statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RunnableTool } from '../../tool.ts'
import { UsageError } from '../command.ts'
import { readTools } from '../input.ts'

export async function readToolFile(path: string): Promise<RunnableTool[]> {
  if (extname(path) === '.json') return readTools(path)
  const tools = new Set(
    Object.values(await load(path))
      .flat()
      .filter(isTool),
  )
  if (tools.size === 0) {
    throw new UsageError(`${path} exports no tools; export what tool() of toolglot/agent gives`)
  }
  for (const { name, inputSchema } of tools) {
    if (typeof inputSchema === 'object' && !('~standard' in inputSchema)) continue
    throw new UsageError(
      `${path}: ${name} is not made by tool(); write tool({ name: '${name}', … })`,
    )
  }
  return [...tools]
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = resolve(path)
  const status = statSync(file, { throwIfNoEntry: false })
  if (!status) throw new UsageError(`${path || '""'}: no such file`)
  if (status.isDirectory()) throw new UsageError(`${path}: is a directory, not a file`)
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    throw new UsageError(`${path}: ${reasonOf(error, extname(path))}`)
  }
}

function reasonOf(error: unknown, extension: string): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return /^\.[cm]?ts$/.test(extension)
      ? 'this Node reads no TypeScript; use Node 22.18 or newer, or a .mjs file'
      : 'is no module; tools are in .mjs, .js or .ts files, definitions alone in .json'
  }
  return `${error.name}: ${error.message}`
}

/** As far as one can tell; names of other exports do not matter. */
function isTool(value: unknown): value is RunnableTool {
  if (typeof value !== 'object' || value === null) return false
  return 'name' in value && typeof value.name === 'string' && 'inputSchema' in value
}
