/**
 * Llama 4: a list of calls in Python, with or without the tokens around it.
 *
 *     <|python_start|>[get_weather(city='Oslo', days=3)]<|python_end|>
 *     [get_weather(city='Oslo', days=3)]
 *
 * @see https://www.llama.com/docs/model-cards-and-prompt-formats/llama4
 */
import { type Protocol, variantOf } from '../core/protocol.ts'
import { pythonList } from '../core/text/literal-call.ts'
import { pythonStart } from './python-start.ts'

export const llama4Pythonic: Protocol<'llama4-pythonic'> = variantOf(pythonStart, {
  id: 'llama4-pythonic',
  openers: (tools) => [...pythonStart.openers(tools), pythonList(tools)],
})
