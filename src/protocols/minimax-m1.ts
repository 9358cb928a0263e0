/**
 * MiniMax M1: calls between tags, each an object on a line of its own.
 *
 *     <tool_calls>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     {"name": "get_time", "arguments": {}}
 *     </tool_calls>
 *
 * @see https://huggingface.co/MiniMaxAI/MiniMax-M1-80k
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { apriel } from './apriel.ts'

export const minimaxM1: Protocol<'minimax-m1'> = variantOf(apriel, {
  id: 'minimax-m1',
  emitters: 'MiniMax M1, MiniMax Text',
  tokens: ['<end_of_sentence>', '<beginning_of_sentence>'],
  reasoning: [],
  ...writing(writeJsonCall('<tool_calls>\n', '\n</tool_calls>')),
})
