/**
 * Anthropic's tags as a model writes them that was prompted with them or learned from Claude.
 *
 *     <function_calls>
 *     <invoke name="get_weather">
 *     <parameter name="city">Oslo</parameter>
 *     </invoke>
 *     </function_calls>
 *
 * Before that, names and parameters were tags of their own:
 *
 *     <invoke>
 *     <tool_name>get_weather</tool_name>
 *     <parameters><city>Oslo</city></parameters>
 *     </invoke>
 */
import type { Protocol } from '../core/protocol.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'

const SPEC: TaggedCallSpec = {
  sections: withPrefix('function_calls'),
  // The last is Grok's.
  calls: [...withPrefix('invoke'), 'xai:function_call'],
  parameters: withPrefix('parameter'),
  bare: 'named',
  trim: 'block',
  group: true,
}

function withPrefix(word: string): string[] {
  return [word, `antml:${word}`]
}

export const anthropicXml: Protocol<'anthropic-xml'> = {
  id: 'anthropic-xml',
  emitters: 'Claude, models distilled from it, Grok, any model, prompted',
  // Both read an `<invoke>` without its section.
  before: ['qwen3-coder'],
  ...taggedProtocol(SPEC, {}, ['<function_results>\n', '\n</function_results>']),
}
