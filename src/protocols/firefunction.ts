/**
 * FireFunction: a list of calls behind a word, as Phi-4-mini writes it.
 *
 *      functools[{"name": "get_weather", "arguments": {"city": "Oslo"}}]
 *
 * @see https://huggingface.co/fireworks-ai/llama-3-firefunction-v2
 */
import { type Protocol, variantOf } from '../core/protocol.ts'
import { phi4Mini } from './phi4-mini.ts'

export const firefunction: Protocol<'firefunction'> = variantOf(phi4Mini, {
  id: 'firefunction',
  emitters: 'FireFunction',
  tokens: ['<|eot_id|>'],
})
