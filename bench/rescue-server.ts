/**
 * The same question as users have it: a real server, and the clients that they read it with. What counts is
 * the time of the processor that the client's process takes: for the rest it waits for the server.
 */
import { fork } from 'node:child_process'
import OpenAI from 'openai'
import type { FetchLike } from '../src/fetch.ts'
import type { Effort, Timing } from './harness.ts'
import { median } from './harness.ts'
import { bundle } from './subject.ts'

/** Reads a reply with this `fetch` and says how many frames there were. */
type Reads = (fetch: FetchLike) => Promise<number>

export interface ServedResult {
  readonly name: string
  readonly frames: number
  readonly plain: Timing
  readonly rescued: Timing
}

export interface ServedCase {
  readonly name: string
  read(origin: string): Reads
}

/** Replies read before it counts. */
const WARM_UP = 30

/** Counts what comes; the first reply by plain fetch says how many there have to be. */
export async function measureServed(
  cases: readonly ServedCase[],
  rescuing: FetchLike,
  effort: Effort,
): Promise<ServedResult[]> {
  const { origin, stop } = await startServer()
  const results: ServedResult[] = []
  try {
    for (const { name, read } of cases) {
      const reads = read(origin)
      const frames = await reads(fetch)
      const fetches = [fetch, rescuing]
      const [plain, rescued] = await compareCpu(
        fetches.map((one) => () => reads(one)),
        frames,
        effort,
      )
      if (!plain || !rescued) continue
      results.push({ name, frames, plain, rescued })
    }
  } finally {
    await stop()
  }
  return results
}

/** In turns, each round in another order, like everything that is compared. */
async function compareCpu(
  runs: readonly (() => Promise<number>)[],
  expected: number,
  { rounds, budgetMs }: Effort,
): Promise<Timing[]> {
  const samples: number[][] = runs.map(() => [])
  const results: number[] = []
  const end = performance.now() + budgetMs * 3
  for (let round = -WARM_UP; round < rounds || performance.now() < end; round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const i = Math.abs(round + turn) % runs.length
      globalThis.gc?.({ type: 'minor', execution: 'sync' })
      const before = process.cpuUsage()
      results[i] = (await runs[i]?.()) ?? -1
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) samples[i]?.push((user + system) * 1e3)
    }
  }
  return samples.map((times, i) => {
    const result = results[i] ?? -1
    return { name: '', median: median(times), samples: times, result, correct: result === expected }
  })
}

export function byOpenAi(origin: string, body: object): Reads {
  return async (fetch) => {
    const client = new OpenAI({ baseURL: `${origin}/openai-chat/v1`, apiKey: 'none', fetch })
    // What the dialect wrote is a request of this API, and the bench wants a stream.
    const request = body as OpenAI.ChatCompletionCreateParamsStreaming
    let frames = 0
    for await (const chunk of await client.chat.completions.create(request)) {
      if (chunk.object === 'chat.completion.chunk') frames++
    }
    return frames
  }
}

async function startServer(): Promise<{ origin: string; stop(): Promise<void> }> {
  const { file, remove } = await bundle('./reply-server.ts')
  const child = fork(file, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const port = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      child.disconnect()
      await remove()
    },
  }
}
