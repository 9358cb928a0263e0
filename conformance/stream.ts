/** Reading a case in pieces: the pieces must not matter, and the events must tell the truth. */

import type { TracedExtraction } from '../src/core/text/extractor.ts'
import { createExtractor, type ExtractEvent, type ExtractOptions } from '../src/index.ts'
import { compareValues } from './compare.ts'

/** What is wrong with reading `chunks`, in words; undefined when nothing is. */
export function streamFault(
  chunks: readonly string[],
  options: ExtractOptions,
  whole: TracedExtraction,
): string | undefined {
  const extractor = createExtractor(options)
  const events: ExtractEvent[] = []
  for (const chunk of chunks) for (const event of extractor.push(chunk)) events.push(event)
  for (const event of extractor.end()) events.push(event)
  const streamed = extractor.result()
  return differenceFrom(whole, streamed) ?? dishonesty(events, streamed)
}

function differenceFrom(whole: TracedExtraction, streamed: TracedExtraction): string | undefined {
  for (const part of ['calls', 'text', 'reasoning', 'issues', 'protocol'] as const) {
    const expected = JSON.stringify(whole[part])
    const got = JSON.stringify(streamed[part])
    if (expected !== got) return `${part} whole ${expected}, in pieces ${got}`
  }
  return undefined
}

/** The events alone must be enough to know the result; what they get wrong, in words. */
export function dishonesty(
  events: readonly ExtractEvent[],
  { calls, text, reasoning, issues }: TracedExtraction,
): string | undefined {
  // Text that turns out to have been reasoning was told as text before anybody could know.
  const retold = issues.some(({ code }) => code === 'orphan-reasoning-end')
  if (!retold && joined(events, 'text-delta') !== text) {
    return 'the text deltas do not join to the text'
  }
  if (!retold && joined(events, 'reasoning-delta') !== reasoning) {
    return 'the reasoning deltas do not join to the reasoning'
  }
  const ended = events.flatMap((event) => (event.type === 'call-end' ? [event.call] : []))
  if (JSON.stringify(ended) !== JSON.stringify(calls)) return 'the calls told are not those found'
  return dishonestDeltas(events)
}

function joined(events: readonly ExtractEvent[], type: 'text-delta' | 'reasoning-delta'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('')
}

function dishonestDeltas(events: readonly ExtractEvent[]): string | undefined {
  const told = new Map<number, string[]>()
  for (const event of events) {
    if (event.type === 'call-start') {
      told.set(event.index, [])
    } else if (event.type === 'call-delta') {
      told.get(event.index)?.push(event.argumentsDelta)
    } else if (event.type === 'call-end') {
      const spelled = told.get(event.index)?.join('') ?? ''
      if (!spells(spelled, event.call.arguments)) {
        return `the deltas of ${event.call.name} join to ${spelled}`
      }
    }
  }
  return undefined
}

function spells(json: string, value: unknown): boolean {
  try {
    return compareValues(JSON.parse(json), value, '').length === 0
  } catch {
    return false
  }
}
