/** Reads texts in a process of its own, which can be ended when a package does not return. */
import { extract } from '../src/index.ts'
import { EXTRACTION_LIBRARIES, never } from './extraction-libraries.ts'
import { fastestOf } from './harness.ts'
import { chunksOf, TOOLS } from './inputs.ts'
import { countCalls } from './streamed.ts'

export interface PeerTask {
  /** The package that is to read; ourselves when none is named. */
  readonly library: string | undefined
  readonly text: string
  /** Characters in a chunk; undefined for the whole text. */
  readonly chunk: number | undefined
  readonly runs: number
}

export interface PeerAnswer {
  /** Nanoseconds of the fastest run, or undefined when one threw. */
  readonly time?: number | undefined
}

const HERMES = { tools: TOOLS, protocols: ['hermes'] } as const

process.on('message', async (task: PeerTask) => send({ time: await timeOf(task) }))
send({})

function send(answer: PeerAnswer): void {
  process.send?.(answer)
}

async function timeOf(task: PeerTask): Promise<number | undefined> {
  try {
    return await fastestOf(task.runs, bind(task))
  } catch {
    return undefined
  }
}

function bind({ library: name, text, chunk }: PeerTask): () => number | Promise<number> {
  const chunks = chunksOf(text, chunk ?? text.length)
  if (name === undefined) {
    return chunk ? () => countCalls(chunks, HERMES) : () => extract(text, HERMES).calls.length
  }
  const library = EXTRACTION_LIBRARIES.find((one) => one.name === name)
  const stream = library?.stream?.(chunks)
  return chunk
    ? async () => (await stream?.(never))?.length ?? 0
    : () => library?.whole?.(text).length ?? 0
}
