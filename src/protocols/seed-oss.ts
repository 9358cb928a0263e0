/**
 * Seed-OSS: function and parameters in tags.
 *
 *     <seed:tool_call>
 *     <function=get_weather>
 *     <parameter=city>Oslo</parameter>
 *     </function>
 *     </seed:tool_call>
 *
 * @see https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct/blob/main/chat_template.jinja
 */
import type { Protocol } from '../core/protocol.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'

const SPEC: TaggedCallSpec = {
  sections: ['seed:tool_call'],
  calls: ['function'],
  parameters: ['parameter'],
  bare: 'short',
  trim: 'block',
  untyped: 'json',
}

export const seedOss: Protocol<'seed-oss'> = {
  id: 'seed-oss',
  emitters: 'Seed-OSS',
  ...taggedProtocol(SPEC, { short: true }),
  tokens: ['<seed:bos>', '<seed:eos>'],
}
