/**
 * Qwen3-Coder: function and parameters in tags, each value on lines of its own.
 *
 *     <tool_call>
 *     <function=get_weather>
 *     <parameter=city>
 *     Oslo
 *     </parameter>
 *     </function>
 *     </tool_call>
 *
 * The tag around the function is often left out.
 *
 * @see https://huggingface.co/Qwen/Qwen3-Coder-480B-A35B-Instruct/blob/main/chat_template.jinja
 */
import type { Protocol } from '../core/protocol.ts'
import { taggedCall } from '../core/text/tagged-call.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'
import { hermes } from './hermes.ts'

const SPEC: TaggedCallSpec = {
  sections: ['tool_call', 'tool_calls'],
  calls: ['function', 'invoke', 'tool', 'call'],
  parameters: ['parameter', 'param', 'argument', 'arg'],
  bare: 'short',
  trim: 'line',
  loose: true,
  group: true,
  escaped: true,
}

/** The same with names as attributes, where no other format has the tag. */
const NAMED: TaggedCallSpec = { ...SPEC, bare: 'named' }

export const qwen3Coder: Protocol<'qwen3-coder'> = {
  id: 'qwen3-coder',
  emitters: 'Qwen3-Coder, Qwen 3.5, Qwen 3.6, Qwen 3.8, MiMo, Step 3.5, Nemotron 3',
  // The same tags inside another section.
  before: ['seed-oss'],
  ...taggedProtocol(SPEC, { short: true, lines: true }),
  // JSON between the same tags is what their older siblings write.
  openers: (tools) => [taggedCall(SPEC, tools), taggedCall(NAMED, tools), ...hermes.openers(tools)],
  tokens: hermes.tokens ?? [],
  results: hermes.results ?? [],
}
