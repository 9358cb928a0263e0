/**
 * GLM 4.7: the name behind the tag, then keys and values, all on one line.
 *
 *     <tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>
 *
 * In auto mode it reads what its older sister and its relatives write, too.
 *
 * @see https://huggingface.co/zai-org/GLM-4.7/blob/main/chat_template.jinja
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { keyValueTags } from '../core/text/key-value-tags.ts'
import { writeKeyValues } from '../core/text/key-value-writing.ts'

export const glm47: Protocol<'glm47'> = {
  id: 'glm47',
  emitters: 'GLM 4.7 and 5, Ling 3',
  models: ['glm-4.7', 'glm-5', 'ling-3'],
  endsReasoning: true,
  rawText: true,
  openers: (tools) => [
    keyValueTags({ tag: 'tool_call', untyped: 'json' }, tools),
    // What Laguna writes now and then.
    keyValueTags({ tag: 'user', untyped: 'json' }, tools),
  ],
  strays: ['</tool_call>'],
  tokens: ['<|observation|>', '<|user|>', '<|assistant|>', '<|endoftext|>'],
  ...writing(writeKeyValues('<tool_call>', '', '</tool_call>')),
}
