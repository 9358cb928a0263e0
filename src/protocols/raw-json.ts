/**
 * Raw JSON: the reply, or a code block of its own, is the call and nothing else.
 *
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *
 * What small models fall back to, and what any model writes when its markers are stripped.
 */
import { describeTools, EXAMPLE_CALL } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Protocol } from '../core/protocol.ts'
import { formatResultText } from '../core/result-text.ts'
import { freeJson } from '../core/text/free-json.ts'
import { COMMON_KEYS } from '../core/text/json-calls.ts'

const OPENERS = freeJson({ keys: COMMON_KEYS, otherKeys: ['type', 'index', 'thought'] })

export const rawJson: Protocol<'raw-json'> = {
  id: 'raw-json',
  emitters: 'small models, models whose markers were stripped',
  free: 'json',
  openers: () => OPENERS,

  formatTools: (tools, options) =>
    describeTools({ tools, ...options, how: rawJson.formatCall(EXAMPLE_CALL) }),

  formatCall: ({ name, arguments: args }) => writeJson({ name, arguments: args }),

  formatResult: (result) => writeJson({ name: result.name, result: formatResultText(result) }),
}
