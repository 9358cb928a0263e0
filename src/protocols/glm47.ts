/**
 * GLM 4.7: the name behind the tag, then keys and values, all on one line.
 *
 *     <tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>
 *
 * In auto mode it reads what its older sister and its relatives write, too.
 *
 * @see https://huggingface.co/zai-org/GLM-4.7/blob/main/chat_template.jinja
 */
import type { Protocol } from '../core/protocol.ts'
import { ahead, markerWith, SPACE } from '../core/text/pattern.ts'
import { untilMarker } from '../core/text/result-block.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'
import { KEYED_TAGS, keyedLayout } from './families/keyed-tags.ts'

const SPEC: TaggedCallSpec = {
  ...KEYED_TAGS,
  // The second is what Laguna writes now and then.
  calls: ['tool_call', 'user'],
  untyped: 'json',
}

const OBSERVATION = '<|observation|>'
const ASSISTANT = '<|assistant|>'

export const glm47: Protocol<'glm47'> = {
  id: 'glm47',
  emitters: 'GLM 4.7, GLM 5, Ling 3',
  // The same tags around a call.
  before: ['hy-v3'],
  ...taggedProtocol(SPEC, keyedLayout('')),
  strays: ['</tool_call>', '</tool_calls>'],
  tokens: [OBSERVATION, '<|user|>', ASSISTANT],
  results: [
    // The token alone ends a turn.
    {
      open: markerWith(OBSERVATION, ahead(SPACE, '[^\\s<]')),
      findEnd: untilMarker(ASSISTANT, '<|user|>'),
    },
  ],
}
