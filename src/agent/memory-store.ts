/** Keeps runs as long as the process lives. */
import { ToolglotError } from '../core/errors.ts'
import type { RunRecord } from './journal.ts'
import { runConflict } from './run-conflict.ts'
import type { RunSummary, Store } from './store.ts'

interface Run {
  /** Each record as JSON: a copy that nobody can change, made of what any store could keep. */
  readonly bodies: string[]
  updatedAt: number
}

export function createMemoryStore(): Store {
  const runs = new Map<string, Run>()
  let isClosed = false

  function open(): Map<string, Run> {
    if (isClosed) throw new ToolglotError('store_closed', 'the store is closed')
    return runs
  }

  return {
    async read(id) {
      // The cast: what is read is what was appended.
      return (open().get(id)?.bodies ?? []).map((body) => JSON.parse(body) as RunRecord)
    },

    async append(id, records, after) {
      const added = records.map((record) => JSON.stringify(record))
      const run = open().get(id) ?? { bodies: [], updatedAt: 0 }
      if (run.bodies.length !== after) throw runConflict(id, after, run.bodies.length)
      if (added.length === 0) return
      for (const body of added) run.bodies.push(body)
      run.updatedAt = Date.now()
      runs.set(id, run)
    },

    async list() {
      return [...open()].map(summarize).sort(byRecency)
    },

    async delete(id) {
      open().delete(id)
    },

    async close() {
      isClosed = true
    },
  }
}

function summarize([id, { bodies, updatedAt }]: readonly [string, Run]): RunSummary {
  return { id, records: bodies.length, updatedAt }
}

function byRecency(one: RunSummary, other: RunSummary): number {
  return other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : 1)
}
