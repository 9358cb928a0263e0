/** Asking the worker. */
import type { Answer, Jobs, Order } from './worker.ts'

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const waiting = new Map<number, Waiting>()
let lastId = 0
let worker: Worker | undefined

/** Has the worker do a job; rejects with what went wrong there. */
export function ask<Job extends keyof Jobs>(
  job: Job,
  ...args: Parameters<Jobs[Job]>
): Promise<ReturnType<Jobs[Job]>> {
  worker ??= startWorker()
  const id = ++lastId
  const order: Order = { id, job, args }
  worker.postMessage(order)
  return new Promise((resolve, reject) => {
    // The value is what the job returned, copied on the way.
    waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
  })
}

function startWorker(): Worker {
  const started = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<Answer>) => settle(data))
  started.addEventListener('error', giveUp)
  return started
}

/** Nobody will answer any more: its file could not be loaded, or it broke. The next one asks a new one. */
function giveUp(): void {
  worker?.terminate()
  worker = undefined
  const left = [...waiting.values()]
  waiting.clear()
  for (const { reject } of left) reject(new Error('Toolglot could not be loaded; reload the page'))
}

function settle({ id, value, error }: Answer): void {
  const asked = waiting.get(id)
  waiting.delete(id)
  if (error === undefined) asked?.resolve(value)
  else asked?.reject(new Error(error))
}
