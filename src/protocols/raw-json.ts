/**
 * Raw JSON: the reply, or a code block of its own, is the call and nothing else.
 *
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *
 * What small models fall back to, and what any model writes when its markers are stripped.
 */
import { writing } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Protocol } from '../core/protocol.ts'
import { formatResultText } from '../core/result-text.ts'
import { freeJson } from '../core/text/free-json.ts'
import { COMMON_KEYS } from '../core/text/json-calls.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'

const OPENERS = freeJson({ keys: COMMON_KEYS, otherKeys: ['type', 'index', 'thought'] })

export const rawJson: Protocol<'raw-json'> = {
  id: 'raw-json',
  emitters: 'small models, models whose markers were stripped',
  free: 'json',
  openers: () => OPENERS,
  ...writing(writeJsonCall('', ''), (result) =>
    writeJson({ name: result.name, result: formatResultText(result) }),
  ),
}
