/** A reply in pieces: what is known after the first few of them. */
import type { ExtractEvent } from '../../../src/core/model.ts'
import type { TracedExtraction } from '../../../src/core/text/extractor.ts'
import { createExtractor } from '../../../src/extract.ts'
import { chunkCount } from './chunks.ts'
import { type Mark, marksOf } from './marks.ts'
import { optionsFor, type ReplyQuestion } from './reply-reading.ts'

export interface ReplayQuestion extends ReplyQuestion {
  readonly chunkSize: number
  /** How many chunks have arrived. With the last one the reply is over. */
  readonly position: number
}

export interface ReplayAnswer {
  readonly extraction: TracedExtraction
  readonly marks: readonly Mark[]
  /** The last ones. */
  readonly events: readonly ReplayEvent[]
  readonly eventCount: number
  /** Characters that have arrived. */
  readonly arrived: number
}

export interface ReplayEvent {
  /** The chunk that brought it, counted from one. */
  readonly chunk: number
  readonly event: ExtractEvent
}

const SHOWN_EVENTS = 200

export function replay(question: ReplayQuestion): ReplayAnswer {
  const { reply, chunkSize, position } = question
  const extractor = createExtractor(optionsFor(question).options)
  const chunks = chunkCount(reply.length, chunkSize)
  const arrived = Math.min(reply.length, position * chunkSize)
  const events: ReplayEvent[] = []
  let eventCount = 0

  function take(chunk: number, brought: readonly ExtractEvent[]): void {
    eventCount += brought.length
    for (const event of brought) events.push({ chunk, event })
    if (events.length > 2 * SHOWN_EVENTS) events.splice(0, events.length - SHOWN_EVENTS)
  }

  for (let chunk = 0; chunk < position && chunk < chunks; chunk++) {
    const start = chunk * chunkSize
    take(chunk + 1, extractor.push(reply.slice(start, start + chunkSize)))
  }
  if (position >= chunks) take(chunks, extractor.end())

  const extraction = extractor.result()
  return {
    extraction,
    marks: [...marksOf(extraction, arrived), ...comingMark(arrived, reply.length)],
    events: events.slice(-SHOWN_EVENTS),
    eventCount,
    arrived,
  }
}

function comingMark(start: number, end: number): Mark[] {
  return start < end ? [{ kind: 'coming', start, end, label: 'not yet there' }] : []
}
