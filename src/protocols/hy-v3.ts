/**
 * Hunyuan 3: a section of calls, each with its name before a separator.
 *
 *     <tool_calls>
 *     <tool_call>get_weather<tool_sep>
 *     <arg_key>city</arg_key>
 *     <arg_value>Oslo</arg_value>
 *     </tool_call>
 *     </tool_calls>
 *
 * Every tag may carry the same suffix, as in `<tool_sep:x>`.
 *
 * @see https://huggingface.co/tencent
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { suffixedTag } from '../core/text/key-value-tag.ts'
import { keyValueTags } from '../core/text/key-value-tags.ts'
import { writeKeyValues } from '../core/text/key-value-writing.ts'

export const hyV3: Protocol<'hy-v3'> = {
  id: 'hy-v3',
  emitters: 'Hunyuan HY-V3',
  models: ['hy3', 'hy-v3', 'hunyuan-3'],
  endsReasoning: true,
  rawText: true,
  openers: (tools) => [keyValueTags({ tag: 'tool_call', sectioned: true, untyped: 'json' }, tools)],
  strays: ['</tool_call>', '</tool_calls>'],
  tokens: [suffixedTag],
  ...writing(
    writeKeyValues('<tool_calls>\n<tool_call>', '\n', '</tool_call>\n</tool_calls>', '<tool_sep>'),
  ),
}
