/** Finding the files a command line names. */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { UsageError } from '../src/cli/command.ts'
import { entriesOf } from './recordings/recording.ts'

export interface Sources {
  /** Files of cases, one a line. */
  readonly cases: readonly string[]
  /** Folders of recorded traffic. */
  readonly recordings: readonly string[]
}

const INDEX = 'index.json'

/**
 * Files as they are. Folders as what is anywhere below them, in the order of names: those with an index
 * hold recordings, all other `.jsonl` files hold cases.
 */
export function findSources(paths: readonly string[]): Sources {
  if (paths.length === 0) throw new UsageError('name at least one file or folder of cases')
  const files = paths.flatMap((path) => (kindOf(path) === 'folder' ? filesBelow(path) : [path]))
  const indexes = files.filter((path) => basename(path) === INDEX && entriesOf(path))
  const recordings = [...new Set(indexes.map((path) => dirname(path)))]
  const isRecorded = (path: string) =>
    recordings.some((folder) => path.startsWith(folder + sep)) || indexes.includes(path)
  const others = files.filter((path) => !isRecorded(path) && basename(path) !== INDEX)
  const cases = [...new Set(others)]
  if (cases.length + recordings.length === 0) {
    throw new UsageError(`no .jsonl file and no ${INDEX} in ${paths.join(', ')}`)
  }
  return { cases, recordings }
}

function kindOf(path: string): 'file' | 'folder' {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`${path}: no such file or folder`)
  return stats.isDirectory() ? 'folder' : 'file'
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl') || basename(name) === INDEX)
    .sort()
    .map((name) => join(folder, name))
}
