/** Collects the JSON of a call's arguments while it is made, and tells it to whoever listens. */
import type { Repair } from '../issue.ts'
import type { JsonSink } from '../json/reader.ts'
import type { CallDraft, ReadContext } from '../protocol.ts'
import { createArgumentStream } from './argument-stream.ts'

export interface ArgumentSink extends Required<JsonSink> {
  /** Everything so far. */
  json(): string
  readonly repairs: readonly Repair[]
  readonly streamed: ReadonlySet<string> | undefined
}

export function createArgumentSink(
  context: ReadContext,
  draft: CallDraft | undefined,
): ArgumentSink {
  const pieces: string[] = []
  const repairs: Repair[] = []
  const stream =
    draft && context.deltas
      ? createArgumentStream(draft.schema, context.fit, (json) => draft.delta(json))
      : undefined
  return {
    text(piece) {
      pieces.push(piece)
      stream?.text(piece)
    },
    key: (depth, key) => stream?.key(depth, key),
    valueStart: (depth, kind) => stream?.valueStart(depth, kind),
    valueEnd: (depth) => stream?.valueEnd(depth),
    repair: (repair) => void repairs.push(repair),
    json: () => pieces.join(''),
    repairs,
    streamed: stream?.streamed,
  }
}
