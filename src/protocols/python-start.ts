/**
 * Llama 4: a list of calls in Python between two tokens.
 *
 *     <|python_start|>[get_weather(city='Oslo', days=3)]<|python_end|>
 *
 * The part of {@link llama4Pythonic} that is safe to read in any reply.
 *
 * @see https://www.llama.com/docs/model-cards-and-prompt-formats/llama4
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { callFollows, pythonCalls, pythonLine } from '../core/text/literal-call.ts'
import { writePythonCall } from '../core/text/literal-writing.ts'
import { marker } from '../core/text/marker.ts'

const OPEN = '<|python_start|>'
const CLOSE = '<|python_end|>'

const OPENERS = [pythonCalls({ open: marker(OPEN, callFollows()), close: CLOSE })]

export const pythonStart: Protocol<'python-start'> = {
  id: 'python-start',
  emitters: 'all of Llama 4',
  // Both read the calls alone, without the token before them.
  before: ['pythonic', 'function-pattern'],
  endsReasoning: true,
  // Without tools no free format is read, but such a list on a line of its own is not much else.
  openers: ({ known }) => (known ? OPENERS : [...OPENERS, pythonLine()]),
  tokens: [OPEN, CLOSE, '<|eom|>', '<|eot|>'],
  ...writing(writePythonCall(`${OPEN}[`, `]${CLOSE}`)),
}
