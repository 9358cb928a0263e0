/** Streams read to their end. Loaded together with the subject, so that each question has its own. */
import type { ExtractOptions } from '../src/index.ts'
import { createExtractor } from '../src/index.ts'
import { EventFloor, FloorStream } from './floor.ts'

/** Takes every event and counts the calls. */
export function countCalls(chunks: readonly string[], options: ExtractOptions): number {
  const extractor = createExtractor(options)
  let calls = 0
  for (const chunk of chunks) {
    for (const event of extractor.push(chunk)) if (event.type === 'call-end') calls++
  }
  for (const event of extractor.end()) if (event.type === 'call-end') calls++
  return calls
}

export function countFloorEvents(chunks: readonly string[]): number {
  const floor = new EventFloor()
  let calls = 0
  for (const chunk of chunks) {
    for (const event of floor.push(chunk)) if (event.type === 'call') calls++
  }
  for (const event of floor.end()) if (event.type === 'call') calls++
  return calls
}

/** Text length goes in so that shown text is not optimised away, and out again to leave the calls. */
export function countFloorCalls(chunks: readonly string[]): number {
  const floor = new FloorStream()
  let shown = 0
  for (const chunk of chunks) shown += floor.push(chunk).length
  shown += floor.end().length
  return shown < 0 ? shown : floor.calls.length
}
