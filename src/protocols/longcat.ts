/**
 * LongCat: as Hermes, with tags of its own.
 *
 *     <longcat_tool_call>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     </longcat_tool_call>
 *
 * @see https://huggingface.co/meituan-longcat/LongCat-Flash-Chat
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'

const OPEN = '<longcat_tool_call>'
const CLOSE = '</longcat_tool_call>'

const OPENERS = [jsonBlock({ open: OPEN, close: [CLOSE] })]

export const longcat: Protocol<'longcat'> = {
  id: 'longcat',
  emitters: 'LongCat',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE],
  tokens: ['</longcat_s>'],
  reasoning: [{ open: '<longcat_think>', close: ['</longcat_think>'], prompted: true }],
  ...writing(writeJsonCall(`${OPEN}\n`, `\n${CLOSE}`)),
}
