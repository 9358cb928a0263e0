/** What the formats of the Gemma family have in common: all but their tokens. */
import { writing } from '../../core/instructions.ts'
import { writeJsonInTags } from '../../core/json/write.ts'
import type { Protocol } from '../../core/protocol.ts'
import { placedResultText } from '../../core/result-text.ts'
import { onOwnLine } from '../../core/text/followed-calls.ts'
import { type LiteralMarks, literalCalls } from '../../core/text/literal-call.ts'
import {
  IDENTIFIER,
  plainArguments,
  type Spelling,
  writeValue,
} from '../../core/text/literal-writing.ts'
import { type Follows, marker, markerAt, startMarker } from '../../core/text/marker.ts'
import { resultBetween } from '../../core/text/result-block.ts'

/** Results stand between the two markers given. */
export function literalProtocol(
  marks: LiteralMarks,
  [openResult, closeResult]: readonly [open: string, close: string],
  tokens: readonly string[],
): Omit<Protocol, 'id' | 'emitters'> {
  const { open, close, delimiter } = marks
  const calls = literalCalls(marks)
  const ownMark = markerAt([delimiter, close])

  /** The first mark shows whose arguments they are, if there is one. */
  const isOwn: Follows = (text, at, end, last) => {
    const mark = text.slice(0, end).indexOf('<', at)
    if (mark === -1) return last || undefined
    const own = ownMark(text.slice(0, end), mark, last)
    return own === undefined ? own : own !== ''
  }

  const spelling: Spelling = {
    // A text that quotes what would end it is written as JSON.
    text: (text) =>
      text.includes(delimiter) || text.includes(close)
        ? writeJsonInTags(text)
        : delimiter + text + delimiter,
    key: (key) => `${IDENTIFIER.test(key) ? key : writeJsonInTags(key)}:`,
    comma: ',',
    words: {},
  }
  return {
    endsReasoning: true,
    openers: ({ names }) => [
      { ...calls, ...marker(open) },
      // Where the tokens are lost, this is left of them.
      ...names.map((name) => ({
        ...onOwnLine(calls),
        ...startMarker(`call:${name}{`, isOwn),
        keep: true,
      })),
    ],
    strays: [close],
    tokens: [openResult, closeResult, ...tokens],
    ...writing(
      ({ name, arguments: args }) =>
        `${open}call:${name}${writeValue(plainArguments(args), spelling)}${close}`,
    ),
    results: [resultBetween(`${openResult}response:`, closeResult)],
    formatResult(result, place) {
      const value = writeValue({ value: placedResultText(result, place) }, spelling)
      return `${openResult}response:${result.name ?? ''}${value}${closeResult}`
    },
  }
}
