/**
 * Poolside: keys and values in tags as GLM writes them; at times JSON in their place.
 *
 *     <tool_call>get_weather
 *     <arg_key>city</arg_key>
 *     <arg_value>Oslo</arg_value>
 *     </tool_call>
 *
 * @see https://huggingface.co/poolside
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { freeJson } from '../core/text/free-json.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { COMMON_KEYS } from '../core/text/json-calls.ts'
import { writeKeyValues } from '../core/text/key-value-writing.ts'
import { marker } from '../core/text/marker.ts'
import { glm47 } from './glm47.ts'

const JSON_OPENERS = [
  jsonBlock({ open: marker('<tool_call>'), close: ['</tool_call>'] }),
  ...freeJson({ keys: COMMON_KEYS }),
]

export const poolsideV1: Protocol<'poolside-v1'> = variantOf(glm47, {
  id: 'poolside-v1',
  emitters: 'Laguna XS and S',
  models: ['laguna', 'poolside'],
  openers: (tools) => [...glm47.openers(tools), ...JSON_OPENERS],
  ...writing(writeKeyValues('<tool_call>', '\n', '</tool_call>')),
})
