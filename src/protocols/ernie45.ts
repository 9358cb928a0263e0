/**
 * ERNIE 4.5: as Hermes, behind reasoning; an answer stands in tags as well.
 *
 *     I need the weather.
 *     </think>
 *
 *     <tool_call>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     </tool_call>
 *
 * @see https://huggingface.co/baidu/ERNIE-4.5-21B-A3B-Thinking
 */
import { type Protocol, variantOf } from '../core/protocol.ts'
import { hermes } from './hermes.ts'

export const ernie45: Protocol<'ernie45'> = variantOf(hermes, {
  id: 'ernie45',
  emitters: 'ERNIE 4.5',
  tokens: [...(hermes.tokens ?? []), '<response>', '</response>'],
})
