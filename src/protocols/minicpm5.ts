/**
 * MiniCPM 5: functions and parameters as XML.
 *
 *     <function name="get_weather"><param name="city">Oslo</param></function>
 *
 * @see https://huggingface.co/openbmb/MiniCPM5-1B/blob/main/chat_template.jinja
 */
import type { Protocol } from '../core/protocol.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'

const SPEC: TaggedCallSpec = {
  sections: [],
  calls: ['function'],
  parameters: ['param', 'parameter'],
  bare: 'named',
  trim: 'none',
  group: true,
}

export const minicpm5: Protocol<'minicpm5'> = {
  id: 'minicpm5',
  emitters: 'MiniCPM 4, MiniCPM 5',
  // The other reads `<function name=…>` as a misspelling of its own tag.
  before: ['qwen3-coder'],
  ...taggedProtocol(SPEC, {}),
}
