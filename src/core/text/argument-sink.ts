/** Collects the JSON of a call's arguments while it is made, and tells it to whoever listens. */
import type { Repair } from '../issue.ts'
import type { JsonSink } from '../json/reader.ts'
import type { CallDraft, ReadContext } from '../protocol.ts'

export interface ArgumentSink extends Required<JsonSink> {
  /** Everything so far. */
  json(): string
  readonly repairs: readonly Repair[]
  readonly streamed: ReadonlySet<string> | undefined
}

export function createArgumentSink(
  { deltas, fit }: ReadContext,
  draft: CallDraft | undefined,
): ArgumentSink {
  const pieces: string[] = []
  const repairs: Repair[] = []
  const schema = draft?.schema
  const delta = (json: string): void => {
    if (deltas) draft?.delta(json)
  }
  const stream = deltas && schema !== undefined ? fit?.stream(schema, delta) : undefined
  const tell = stream ? stream.text : delta
  return {
    text(piece) {
      pieces.push(piece)
      tell(piece)
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
