/**
 * Hermes: each call is one JSON object between `<tool_call>` tags.
 *
 *     <tool_call>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     </tool_call>
 *
 * @see https://github.com/NousResearch/Hermes-Function-Calling
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall, writeJsonResult } from '../core/text/json-writing.ts'
import { resultBetween } from '../core/text/result-block.ts'

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'

const ASSISTANT = '<|im_start|>assistant'
const TURN_END = '<|im_end|>'

/** Around all calls, as in other formats. */
const SECTION_CLOSE = '</tool_calls>'

const OPENERS = [jsonBlock({ open: OPEN, close: [CLOSE, SECTION_CLOSE] })]

export const hermes: Protocol<'hermes'> = {
  id: 'hermes',
  emitters: 'Hermes, Qwen, QwQ, many fine-tunes',
  // Both read JSON between these tags; the second reads attributes of the opening tag as arguments.
  before: ['qwen3-coder', 'xml-attributes'],
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE, SECTION_CLOSE],
  tokens: [ASSISTANT, '<|im_start|>'],
  // The turns of others.
  results: ['tool', 'user'].map((role) =>
    resultBetween(`<|im_start|>${role}\n`, TURN_END, ASSISTANT),
  ),

  ...writing(
    writeJsonCall(`${OPEN}\n`, `\n${CLOSE}`),
    (result, place) => `<tool_response>\n${writeJsonResult(result, place)}\n</tool_response>`,
  ),
}
