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
import { type Protocol, variantOf } from '../core/protocol.ts'
import { freeJson } from '../core/text/free-json.ts'
import { jsonBlock, jsonMarker } from '../core/text/json-block.ts'
import { COMMON_KEYS } from '../core/text/json-calls.ts'
import { glm45 } from './glm45.ts'
import { glm47 } from './glm47.ts'

const JSON_OPENERS = [
  jsonBlock({ open: jsonMarker('<tool_call>'), close: ['</tool_call>'] }),
  ...freeJson({ keys: COMMON_KEYS }),
]

export const poolsideV1: Protocol<'poolside-v1'> = variantOf(glm47, {
  id: 'poolside-v1',
  emitters: 'Laguna, Poolside',
  openers: (tools) => [...glm47.openers(tools), ...JSON_OPENERS],
  formatTools: glm45.formatTools,
  formatCall: glm45.formatCall,
})
