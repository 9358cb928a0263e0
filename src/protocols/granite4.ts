/**
 * Granite 4: as Hermes.
 *
 *     <tool_call>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     </tool_call>
 *
 * @see https://huggingface.co/ibm-granite/granite-4.0-h-small
 */
import { type Protocol, variantOf } from '../core/protocol.ts'
import { hermes } from './hermes.ts'

export const granite4: Protocol<'granite4'> = variantOf(hermes, {
  id: 'granite4',
  emitters: 'Granite 4',
  tokens: [...(hermes.tokens ?? []), '<|end_of_text|>'],
})
