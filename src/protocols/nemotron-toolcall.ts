/**
 * Nemotron Nano: a list of calls between tags in capital letters.
 *
 *     <TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</TOOLCALL>
 *
 * Other models write `<TOOL_CALL>`, `<Tool_Call>`, `<toolcall>` or `<tool-call>`, and one call without the list.
 *
 * @see https://huggingface.co/nvidia/NVIDIA-Nemotron-Nano-9B-v2
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { resultIn } from '../core/text/result-block.ts'

const OPEN = '<TOOLCALL>'
const CLOSE = '</TOOLCALL>'

/** What others call the tag. */
const OTHERS = ['TOOL_CALL', 'TOOL_CALLS', 'Tool_Call', 'ToolCall', 'toolcall', 'tool-call']

const OPENERS = [
  jsonBlock({ open: OPEN, close: [CLOSE] }),
  ...OTHERS.map((name) => jsonBlock({ open: `<${name}>`, close: [`</${name}>`] })),
]

export const nemotronToolcall: Protocol<'nemotron-toolcall'> = {
  id: 'nemotron-toolcall',
  emitters: 'Nemotron Nano',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE],
  ...writing(
    writeJsonCall(`${OPEN}[`, `]${CLOSE}`),
    resultIn('<TOOL_RESPONSE>[', ']</TOOL_RESPONSE>'),
  ),
}
