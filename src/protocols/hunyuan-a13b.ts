/**
 * Hunyuan A13B: a list of calls between tags, often inside the tags of an answer.
 *
 *     <answer>
 *     <tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</tool_calls>
 *     </answer>
 *
 * @see https://huggingface.co/tencent/Hunyuan-A13B-Instruct
 */
import { type Protocol, variantOf } from '../core/protocol.ts'
import { apriel } from './apriel.ts'

export const hunyuanA13b: Protocol<'hunyuan-a13b'> = variantOf(apriel, {
  id: 'hunyuan-a13b',
  emitters: 'Hunyuan A13B',
  tokens: ['<answer>', '</answer>', '<|eos|>'],
  reasoning: [],
})
