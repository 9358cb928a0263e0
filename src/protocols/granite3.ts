/**
 * Granite 3: a list of calls behind a token or a tag, without a closer.
 *
 *     <|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]
 *     <tool_call>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]
 *
 * @see https://huggingface.co/ibm-granite/granite-3.3-8b-instruct
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { phi4Mini, TOOL_CALL_TOKEN } from './phi4-mini.ts'

const CLOSE = '</tool_call>'

const OPENERS = [TOOL_CALL_TOKEN, jsonBlock({ open: '<tool_call>', close: [], ends: [CLOSE] })]

export const granite3: Protocol<'granite3'> = variantOf(phi4Mini, {
  id: 'granite3',
  emitters: 'Granite 3',
  openers: () => OPENERS,
  strays: [CLOSE],
  tokens: ['<|end_of_text|>'],
  ...writing(writeJsonCall('<|tool_call|>[', ']')),
})
