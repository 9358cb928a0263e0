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
import { type Protocol, variantOf } from '../core/protocol.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import { KEYED_TAGS, keyedLayout } from './families/keyed-tags.ts'
import { glm47 } from './glm47.ts'

export const glm45: Protocol<'glm45'> = variantOf(glm47, {
  id: 'glm45',
  emitters: 'GLM 4.5, GLM 4.6',
  ...taggedProtocol(KEYED_TAGS, keyedLayout('\n')),
})
