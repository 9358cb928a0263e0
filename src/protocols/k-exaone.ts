/**
 * K-EXAONE 2: as Qwen3-Coder.
 *
 *     <tool_call>
 *     <function=get_weather>
 *     <parameter=city>
 *     Oslo
 *     </parameter>
 *     </function>
 *     </tool_call>
 */
import { type Protocol, variantOf } from '../core/protocol.ts'
import { qwen3Coder } from './qwen3-coder.ts'

export const kExaone: Protocol<'k-exaone'> = variantOf(qwen3Coder, {
  id: 'k-exaone',
  emitters: 'K-EXAONE 2',
  tokens: ['[|endofturn|]'],
})
