/**
 * Command R7B and A: a list of calls between tokens, each with a number for an id.
 *
 *     <|START_THINKING|>I need the weather.<|END_THINKING|><|START_ACTION|>[
 *         {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Oslo"}}
 *     ]<|END_ACTION|>
 *
 * @see https://docs.cohere.com/docs/command-a-hf
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall, writeJsonResult } from '../core/text/json-writing.ts'
import { marker } from '../core/text/marker.ts'

const OPEN = '<|START_ACTION|>'
const CLOSE = '<|END_ACTION|>'

const OPENERS = [jsonBlock({ open: marker(OPEN), close: [CLOSE] })]

export const cohereAction: Protocol<'cohere-action'> = {
  id: 'cohere-action',
  emitters: 'Command R7B, Command A',
  endsReasoning: true,
  openers: () => OPENERS,
  tokens: [
    CLOSE,
    '<|START_RESPONSE|>',
    '<|END_RESPONSE|>',
    '<|START_TEXT|>',
    '<|END_TEXT|>',
    '<|START_OF_TURN_TOKEN|>',
    '<|CHATBOT_TOKEN|>',
    '<|END_OF_TURN_TOKEN|>',
  ],
  ...writing(
    writeJsonCall(`${OPEN}[`, `]${CLOSE}`, ['tool_name', 'parameters', 'tool_call_id']),
    (result, place) =>
      `<tool_response>\n${writeJsonResult(result, place, ['tool_name', 'results', 'tool_call_id'])}\n</tool_response>`,
  ),
}
