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
import { type Marker, NEED_MORE, type Protocol } from '../core/protocol.ts'
import { literalProtocol } from './families/literal-protocol.ts'

/** The opener of a channel, sometimes written twice, and the name of the only one there is. */
const CHANNEL = /^(?:<\|channel>)+(?: *thought(?:\n|(?=<)))?/
const TOKEN_BEGINS = /^<\|?\w{0,7}$/

const channel: Marker = {
  prefix: [...'<|chan'],
  match(text, at, end, last) {
    const seen = text.slice(at, end)
    const { length } = CHANNEL.exec(seen)?.[0] ?? ''
    const rest = seen.slice(length)
    const isOpen = TOKEN_BEGINS.test(rest) || (length > 0 && 'thought'.startsWith(rest.trimStart()))
    return isOpen && !last ? NEED_MORE : length
  },
}

export const gemma4: Protocol<'gemma4'> = {
  id: 'gemma4',
  emitters: 'Gemma 4',
  ...literalProtocol(
    { open: '<|tool_call>', close: '<tool_call|>', delimiter: '<|"|>' },
    ['<|tool_response>', '<tool_response|>'],
    ['<turn|>', '<|turn>model\n', '<|turn>user\n', '<|turn>', '<|think|>'],
  ),
  reasoning: [{ open: channel, close: ['<channel|>'], prompted: true }],
}
