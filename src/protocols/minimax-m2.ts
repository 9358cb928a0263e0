/**
 * MiniMax M2: calls and parameters in tags that carry their names as attributes.
 *
 *     <minimax:tool_call>
 *     <invoke name="get_weather">
 *     <parameter name="city">Oslo</parameter>
 *     </invoke>
 *     </minimax:tool_call>
 *
 * @see https://huggingface.co/MiniMaxAI/MiniMax-M2/blob/main/docs/tool_calling_guide.md
 */
import type { Protocol } from '../core/protocol.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'

const SPEC: TaggedCallSpec = {
  sections: ['minimax:tool_call'],
  calls: ['invoke'],
  parameters: ['parameter'],
  trim: 'none',
  untyped: 'json',
}

export const minimaxM2: Protocol<'minimax-m2'> = {
  id: 'minimax-m2',
  emitters: 'MiniMax M2',
  ...taggedProtocol(SPEC, {}, ['<response>', '</response>']),
  tokens: [']~b]', '[e~['],
}
