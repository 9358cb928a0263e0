/** Finding the files a command line names. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../src/cli/command.ts'

/** Files as they are, folders as the `.jsonl` files anywhere below them, in the order of names. */
export function caseFiles(paths: readonly string[]): string[] {
  if (paths.length === 0) throw new UsageError('name at least one file or folder of cases')
  const files = paths.flatMap((path) => (kindOf(path) === 'folder' ? filesBelow(path) : [path]))
  if (files.length === 0) throw new UsageError(`no .jsonl file in ${paths.join(', ')}`)
  return [...new Set(files)]
}

function kindOf(path: string): 'file' | 'folder' {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`${path}: no such file or folder`)
  return stats.isDirectory() ? 'folder' : 'file'
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name))
}
