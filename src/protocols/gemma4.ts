/**
 * Gemma 4: a name and arguments with keys that have no quotes and text between `<|"|>`.
 *
 *     <|channel>thought
 *     I need the weather.<channel|><|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,days:3}<tool_call|>
 *
 * Text between delimiters stays text unless the schema asks for something else.
 *
 * @see https://ai.google.dev/gemma/docs/core/prompt-formatting-gemma4
 */
import { type Marker, NEED_MORE, NO_MATCH, type Protocol } from '../core/protocol.ts'
import { literalCalls, SEQUENCE_TOKENS, sequenceTokens } from '../core/text/literal-call.ts'
import { literalWriting } from '../core/text/literal-writing.ts'
import { marker } from '../core/text/marker.ts'
import { untilMarker } from '../core/text/result-block.ts'

const MARKS = { open: '<|tool_call>', close: '<tool_call|>', quote: '<|"|>' }
const OPENERS = [literalCalls(MARKS)]

const CHANNEL = '<|channel>'
const CHANNELS = /^(?:<\|channel>(?:<(?:bos|eos|pad)>)*)+/
const LABEL = /^thought(?:\n|(?=<))/
/** What may follow the opener of a channel and be part of it. */
const HEADERS = [CHANNEL, ...SEQUENCE_TOKENS, 'thought\n', 'thought<']

/** The opener of a channel, sometimes written twice, and the name of the only one there is. */
const channel: Marker = {
  prefix: [...CHANNEL.slice(0, 6)],
  match(text, at, end, last) {
    const seen = text.slice(at, end)
    const [opened] = CHANNELS.exec(seen) ?? []
    if (opened === undefined) return !last && CHANNEL.startsWith(seen) ? NEED_MORE : NO_MATCH
    const rest = seen.slice(opened.length)
    const isHalf = HEADERS.some((header) => header !== rest && header.startsWith(rest))
    if (isHalf && !last) return NEED_MORE
    return opened.length + (LABEL.exec(rest)?.[0].length ?? 0)
  },
}

export const gemma4: Protocol<'gemma4'> = {
  id: 'gemma4',
  emitters: 'Gemma 4',
  models: ['gemma-4', 'gemma4'],
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [MARKS.close],
  tokens: [
    ...sequenceTokens,
    ...['<turn|>', '<|turn>model\n', '<|turn>user\n', '<|turn>'],
    ...['<|tool_response>', '<tool_response|>', '<|think|>'],
  ],
  reasoning: [{ open: channel, close: ['<channel|>'], prompted: true }],
  results: [
    { open: marker('<|tool_response>response:'), findEnd: untilMarker('<tool_response|>') },
  ],
  ...literalWriting(MARKS, ['<|tool_response>', '<tool_response|>']),
}
