/** The runs of a store. */
import { existsSync } from 'node:fs'
import { replay } from '../../agent/journal.ts'
import { openStore } from '../../agent/sqlite-store.ts'
import type { Store } from '../../agent/store.ts'
import { textOf } from '../../core/message.ts'
import type { Message } from '../../core/model.ts'
import { didYouMean } from '../../core/nearest.ts'
import { EXIT_OK, UsageError } from '../command.ts'
import { printable, type Terminal, table } from '../terminal.ts'

/** The store at a path; with an id, only if the run is in it. */
export async function openRuns(
  path: string | undefined,
  id: string | undefined,
): Promise<Store | undefined> {
  if (id === undefined) return path === undefined ? undefined : openStore(path)
  const store = await openExisting(path)
  if ((await store.read(id)).length > 0) return store
  const ids = (await store.list()).map((run) => run.id)
  await store.close()
  throw new UsageError(`${path} has no run ${id}${didYouMean(id, ids)}; --list shows them`)
}

async function openExisting(path: string | undefined): Promise<Store> {
  if (path === undefined) {
    throw new UsageError('--store is missing: name the file in which the run is kept')
  }
  if (!existsSync(path)) throw new UsageError(`${path}: no such file`)
  return openStore(path)
}

export async function showRuns(
  path: string | undefined,
  asJson: boolean,
  { print, style, width }: Terminal,
): Promise<number> {
  const store = await openExisting(path)
  try {
    const runs = await Promise.all((await store.list()).map((run) => describe(store, run)))
    if (asJson) print(JSON.stringify(runs, null, 2))
    else if (runs.length === 0) print(style.dim('no runs'))
    else print(table(runs.map(row), width))
  } finally {
    await store.close()
  }
  return EXIT_OK
}

interface Described {
  readonly id: string
  readonly status: string
  readonly steps: number
  readonly updatedAt: string
  readonly prompt: string
}

async function describe(
  store: Store,
  { id, updatedAt }: { readonly id: string; readonly updatedAt: number },
): Promise<Described> {
  const { finish, steps, messages } = replay(await store.read(id))
  return {
    id,
    status: finish?.reason ?? 'unfinished',
    steps,
    updatedAt: new Date(updatedAt).toISOString(),
    prompt: promptOf(messages),
  }
}

function promptOf(messages: readonly Message[]): string {
  const first = messages.find(({ role }) => role === 'user')
  return first ? textOf(first) : ''
}

const SHOWN = 60

function row({ id, status, steps, updatedAt, prompt }: Described): string[] {
  const [line = ''] = printable(prompt).split('\n')
  const time = updatedAt.slice(0, 16).replace('T', ' ')
  return [printable(id), status, `${steps} steps`, time, line.slice(0, SHOWN)]
}
