/**
 * Jamba: a list of calls between tags.
 *
 *     <tool_calls>[
 *         {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     ]</tool_calls>
 *
 * @see https://huggingface.co/ai21labs/AI21-Jamba-Large-1.6
 */
import { type Protocol, variantOf } from '../core/protocol.ts'
import { apriel } from './apriel.ts'

export const jamba: Protocol<'jamba'> = variantOf(apriel, {
  id: 'jamba',
  emitters: 'Jamba',
  tokens: ['<|eom|>'],
  reasoning: [],
})
