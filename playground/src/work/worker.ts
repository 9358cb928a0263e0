/** The library at work, beside the page: what takes long here does not keep anybody from typing. */
import { catalogue } from './catalogue.ts'
import { convert } from './conversion.ts'
import { conversionSample } from './conversion-sample.ts'
import { replay } from './replay.ts'
import { readReply } from './reply-reading.ts'
import { replyText } from './reply-text.ts'

const jobs = { catalogue, readReply, replay, convert, conversionSample, replyText }

/** What can be asked of the worker; see {@link ask}. */
export type Jobs = typeof jobs

export interface Order {
  readonly id: number
  readonly job: keyof Jobs
  readonly args: readonly unknown[]
}

export interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

addEventListener('message', ({ data }: MessageEvent<Order>) => {
  postMessage(answer(data))
})

function answer({ id, job, args }: Order): Answer {
  // The arguments are those of the job: `ask` has seen to it.
  const run = jobs[job] as (...args: readonly unknown[]) => unknown
  try {
    return { id, value: run(...args) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}
