/** Reads one JSON object as the arguments of a call whose name is already known. */
import { createJsonReader, type JsonReader, type JsonReaderOptions } from '../json/reader.ts'
import type { CallDraft, ReadContext } from '../protocol.ts'
import { type ArgumentSink, createArgumentSink } from './argument-sink.ts'

export interface JsonArguments extends Pick<ArgumentSink, 'json' | 'repairs' | 'streamed'> {
  readonly reader: JsonReader
}

export function createJsonArguments(
  context: ReadContext,
  draft: CallDraft | undefined,
  isCloser?: JsonReaderOptions['isCloser'],
): JsonArguments {
  const sink = createArgumentSink(context, draft)
  const reader = createJsonReader(sink, {
    repair: context.repair,
    maxDepth: context.limits.maxDepth,
    watchDepth: 1,
    isCloser,
  })
  return { ...sink, reader }
}
