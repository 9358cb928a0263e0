/**
 * GLM 4.5: the name behind the tag, then keys and values on lines of their own.
 *
 *     <tool_call>get_weather
 *     <arg_key>city</arg_key>
 *     <arg_value>Oslo</arg_value>
 *     </tool_call>
 *
 * @see https://huggingface.co/zai-org/GLM-4.5/blob/main/chat_template.jinja
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { keyValueTags } from '../core/text/key-value-tags.ts'
import { writeKeyValues } from '../core/text/key-value-writing.ts'
import { glm47 } from './glm47.ts'

export const glm45: Protocol<'glm45'> = variantOf(glm47, {
  id: 'glm45',
  emitters: 'GLM 4.5 and 4.6',
  models: ['glm-4.5', 'glm-4.6'],
  openers: (tools) => [keyValueTags({ tag: 'tool_call', untyped: 'text' }, tools)],
  ...writing(writeKeyValues('<tool_call>', '\n', '</tool_call>')),
})
