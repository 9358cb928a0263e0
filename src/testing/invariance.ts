/** Checks a reply, a protocol or an option set against the law that pieces do not matter. */
import { checkObject, checkText, refused } from '../core/caller-input.ts'
import type { ExtractEvent } from '../core/model.ts'
import type { CoreOptions } from '../core/options.ts'
import { createExtractor, extractText, type TracedExtraction } from '../core/text/extractor.ts'
import { chunksOf, twoWaySplits } from './chunks.ts'

export interface StreamedReply {
  readonly events: readonly ExtractEvent[]
  readonly result: TracedExtraction
}

/** Pushes the pieces one by one and collects everything. */
export function extractChunks(chunks: Iterable<string>, options: CoreOptions): StreamedReply {
  if (typeof Object(chunks)[Symbol.iterator] !== 'function') {
    throw refused('chunks', chunks, 'a list of texts')
  }
  const extractor = createExtractor(options)
  const events: ExtractEvent[] = []
  for (const chunk of chunks) events.push(...extractor.push(chunk))
  events.push(...extractor.end())
  return { events, result: extractor.result() }
}

/** Throws when some way of cutting `text` gives another result than the whole text. */
export function assertInvariance(text: string, options: CoreOptions): void {
  checkText('a text to cut', text)
  checkObject('options', options, '{ protocols: [hermes] }')
  const fixed = withFixedIds(options)
  const whole = comparable(extractText(text, fixed))
  for (const chunks of chunkings(text)) {
    const streamed = comparable(extractChunks(chunks, fixed).result)
    if (streamed === whole) continue
    const shown = JSON.stringify(chunks)
    throw new Error(
      `pieces change the result\npieces: ${shown}\nwhole: ${whole}\npieces gave: ${streamed}`,
    )
  }
}

function* chunkings(text: string): Generator<string[]> {
  for (const size of [1, 2, 3, 5, 11, 23]) yield chunksOf(text, size)
  yield* twoWaySplits(text)
}

/** Random ids differ from run to run; those of a model do not. */
function withFixedIds(options: CoreOptions): CoreOptions {
  return options.ids === undefined || options.ids === 'random'
    ? { ...options, ids: 'sequential' }
    : options
}

function comparable(result: TracedExtraction): string {
  return JSON.stringify({ ...result, segments: merged(result) })
}

/** Neighbouring segments of one kind count as one: where text was cut is no part of the result. */
function merged({ segments = [] }: TracedExtraction): unknown[] {
  const runs: { kind: string; start: number; end: number }[] = []
  for (const { kind, start, end } of segments) {
    const before = runs.at(-1)
    const mergeable = kind === 'text' || kind === 'reasoning' || kind === 'markup'
    if (before?.kind === kind && before.end === start && mergeable) before.end = end
    else runs.push({ kind, start, end })
  }
  return runs
}
