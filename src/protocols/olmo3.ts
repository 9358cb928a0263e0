/**
 * OLMo 3: calls in Python, one to a line.
 *
 *     <function_calls>
 *     get_weather(city="Oslo")
 *     get_time(zone="CET")
 *     </function_calls>
 *
 * @see https://huggingface.co/allenai/Olmo-3-7B-Instruct
 */
import { writing } from '../core/instructions.ts'
import type { Opener, Protocol, ToolTable } from '../core/protocol.ts'
import { callFollows, pythonCalls } from '../core/text/literal-call.ts'
import { writePythonCall } from '../core/text/literal-writing.ts'
import { marker } from '../core/text/marker.ts'
import { ON_LINE } from '../core/text/quote-end.ts'

const OPEN = '<function_calls>'
const CLOSE = '</function_calls>'

const OPENERS = [
  pythonCalls({
    open: marker(OPEN, callFollows(undefined, CLOSE)),
    close: CLOSE,
    endsText: ON_LINE,
  }),
]

/** Between the tags of others, where the names of tools tell. */
function borrowed({ names }: ToolTable): Opener {
  const open = marker(
    '<tool_call>',
    callFollows((name) => names.includes(name)),
  )
  return pythonCalls({ open, close: '</tool_call>', endsText: ON_LINE })
}

export const olmo3: Protocol<'olmo3'> = {
  id: 'olmo3',
  emitters: 'OLMo 3',
  endsReasoning: true,
  openers: (tools) => (tools.known ? [...OPENERS, borrowed(tools)] : OPENERS),
  strays: [CLOSE],
  ...writing(writePythonCall(`${OPEN}\n`, `\n${CLOSE}`)),
}
