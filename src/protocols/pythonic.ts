/**
 * Pythonic: a list of calls in Python, without any marker.
 *
 *     [get_weather(city='Oslo', days=3), get_time(zone='CET')]
 *
 * @see https://huggingface.co/meta-llama/Llama-3.2-3B-Instruct
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { pythonList } from '../core/text/literal-call.ts'
import { writePythonCall } from '../core/text/literal-writing.ts'
import { pythonStart } from './python-start.ts'

export const pythonic: Protocol<'pythonic'> = {
  id: 'pythonic',
  emitters: 'Llama 3.2 1B and 3B, ToolACE, Gemma 3',
  free: 'text',
  openers: (tools) => [pythonList(tools)],
  tokens: pythonStart.tokens ?? [],
  ...writing(writePythonCall('[', ']')),
}
