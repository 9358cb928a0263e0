/**
 * LFM2: a list of calls between two tokens, in Python or in JSON.
 *
 *     <|tool_call_start|>[get_weather(city="Oslo"), get_time(zone="CET")]<|tool_call_end|>
 *     <|tool_call_start|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]<|tool_call_end|>
 *
 * @see https://docs.liquid.ai/lfm/key-concepts/tool-use
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { pythonCalls, pythonList } from '../core/text/literal-call.ts'
import { writePythonCall } from '../core/text/literal-writing.ts'
import { marker } from '../core/text/marker.ts'
import { ahead, markerWith, optional, SPACE } from '../core/text/pattern.ts'
import { resultIn } from '../core/text/result-block.ts'

const OPEN = '<|tool_call_start|>'
const CLOSE = '<|tool_call_end|>'

/** An object, maybe in a list. */
const beginsObject = ahead(SPACE, optional('\\[', SPACE), '\\{')

const OPENERS = [
  jsonBlock({ open: markerWith(OPEN, beginsObject), close: [CLOSE] }),
  pythonCalls({ open: marker(OPEN), close: CLOSE, sure: OPEN, echoes: true }),
]

export const lfm2: Protocol<'lfm2'> = {
  id: 'lfm2',
  emitters: 'LFM2',
  endsReasoning: true,
  // Where nothing else is looked for, a reply may begin with the list and have no tokens.
  openers: (tools, isOnly) =>
    isOnly && tools.known ? [...OPENERS, { ...pythonList(tools), boundary: 'start' }] : OPENERS,
  strays: [CLOSE],
  // MiniCPM 3, whose calls read the same.
  reasoning: [{ open: '<|thought_start|>', close: ['<|thought_end|>'] }],
  ...writing(
    writePythonCall(`${OPEN}[`, `]${CLOSE}`),
    resultIn('<|tool_response_start|>', '<|tool_response_end|>'),
  ),
}
