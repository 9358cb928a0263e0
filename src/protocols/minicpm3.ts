/**
 * MiniCPM 3: a block of Python between two tokens, one call to a line.
 *
 *     <|tool_call_start|>
 *     ```python
 *     get_weather(city="Oslo")
 *     ```
 *     <|tool_call_end|>
 *
 * @see https://huggingface.co/openbmb/MiniCPM3-4B
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { writePythonCall } from '../core/text/literal-writing.ts'
import { lfm2 } from './lfm2.ts'

export const minicpm3: Protocol<'minicpm3'> = variantOf(lfm2, {
  id: 'minicpm3',
  emitters: 'MiniCPM 3',
  ...writing(writePythonCall('<|tool_call_start|>\n```python\n', '\n```\n<|tool_call_end|>')),
})
