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
import type { Protocol } from '../core/protocol.ts'
import { marker } from '../core/text/marker.ts'
import { callFollows, pythonCalls } from '../core/text/python-call.ts'
import { ON_LINE } from '../core/text/python-quote.ts'
import { writePythonCall } from '../core/text/python-write.ts'

const OPEN = '<function_calls>'
const CLOSE = '</function_calls>'

const OPENERS = [
  pythonCalls({
    open: marker(OPEN, callFollows(undefined, CLOSE)),
    close: CLOSE,
    endsString: ON_LINE,
  }),
]

export const olmo3: Protocol<'olmo3'> = {
  id: 'olmo3',
  emitters: 'OLMo 3',
  models: ['olmo-3', 'olmo3'],
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE],
  ...writing(writePythonCall(`${OPEN}\n`, `\n${CLOSE}`)),
}
