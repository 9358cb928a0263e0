/** Reads one JSON object as the arguments of a call whose name is already known. */
import type { Repair } from '../issue.ts'
import { createJsonReader, type JsonReader, type JsonReaderOptions } from '../json/reader.ts'
import type { CallDraft, ReadContext } from '../protocol.ts'
import { createArgumentStream } from './argument-stream.ts'

export interface JsonArguments {
  readonly reader: JsonReader
  /** The arguments as JSON, once the reader is done. */
  json(): string
  readonly repairs: readonly Repair[]
  readonly streamed: ReadonlySet<string> | undefined
}

export function createJsonArguments(
  context: ReadContext,
  draft: CallDraft | undefined,
  isCloser?: JsonReaderOptions['isCloser'],
): JsonArguments {
  const pieces: string[] = []
  const repairs: Repair[] = []
  const stream =
    draft && context.deltas
      ? createArgumentStream(draft.schema, context.fit, (json) => draft.delta(json))
      : undefined
  const reader = createJsonReader(
    {
      text(piece) {
        pieces.push(piece)
        stream?.text(piece)
      },
      key: (depth, key) => stream?.key(depth, key),
      valueStart: (depth, kind) => stream?.valueStart(depth, kind),
      valueEnd: (depth) => stream?.valueEnd(depth),
      repair: (repair) => void repairs.push(repair),
    },
    {
      repair: context.repair,
      maxDepth: context.limits.maxDepth,
      watchDepth: 1,
      shortcuts: context.shortcuts,
      ...(isCloser ? { isCloser } : {}),
    },
  )
  return { reader, json: () => pieces.join(''), repairs, streamed: stream?.streamed }
}
