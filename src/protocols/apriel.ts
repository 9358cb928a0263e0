/**
 * Apriel: a list of calls between tags, behind reasoning that ends with a line of its own.
 *
 *     I need the weather.
 *     [BEGIN FINAL RESPONSE]
 *     <tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "1"}]</tool_calls>
 *
 * Read for all formats with these tags: one object or several in place of the list are read as well.
 *
 * @see https://huggingface.co/ServiceNow-AI/Apriel-1.6-15b-Thinker
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { ahead, literally, markerWith, SPACE } from '../core/text/pattern.ts'

const OPEN = '<tool_calls>'
const CLOSE = '</tool_calls>'

const OPENERS = [jsonBlock({ open: OPEN, close: [CLOSE, '</tool_call>'] })]

export const apriel: Protocol<'apriel'> = {
  id: 'apriel',
  emitters: 'Apriel',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE],
  // Others put their own tags into these.
  tokens: [
    '[END FINAL RESPONSE]',
    '<|end|>',
    markerWith(OPEN, ahead(SPACE, literally('<tool_call>'))),
  ],
  reasoning: [
    // The prompt ends with the words that open it, so only the closer is ever seen.
    { open: '[BEGIN REASONING]', close: ['[BEGIN FINAL RESPONSE]'], prompted: true },
  ],
  ...writing(writeJsonCall(`${OPEN}[`, `]${CLOSE}`)),
}
