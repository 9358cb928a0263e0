/**
 * Hermes: each call is one JSON object between `<tool_call>` tags.
 *
 *     <tool_call>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     </tool_call>
 *
 * @see https://github.com/NousResearch/Hermes-Function-Calling
 */
import { describeTools, EXAMPLE_CALL } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Protocol } from '../core/protocol.ts'
import { formatResultText } from '../core/result-text.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { marker } from '../core/text/marker.ts'
import { untilMarker } from '../core/text/result-block.ts'

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'

const OPENERS = [jsonBlock({ open: marker(OPEN), close: [CLOSE, '</tool_calls>'] })]

export const hermes: Protocol<'hermes'> = {
  id: 'hermes',
  emitters: 'Hermes 2 and 3, Qwen 2.5 and Qwen 3, many fine-tunes',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE],
  results: [{ open: marker('<tool_response>'), findEnd: untilMarker('</tool_response>') }],

  formatTools: (tools, options) =>
    describeTools({ tools, ...options, how: hermes.formatCall(EXAMPLE_CALL) }),

  formatCall: ({ name, arguments: args }) =>
    `${OPEN}\n${writeJson({ name, arguments: args })}\n${CLOSE}`,

  formatResult: (result) =>
    `<tool_response>\n${writeJson({ name: result.name, content: formatResultText(result) })}\n</tool_response>`,
}
