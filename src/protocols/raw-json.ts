/**
 * Raw JSON: the reply, or a code block of its own, is the call and nothing else.
 *
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *
 * What small models fall back to, and what any model writes when its markers are stripped.
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { freeJson } from '../core/text/free-json.ts'
import { COMMON_KEYS } from '../core/text/json-calls.ts'
import { writeJsonCall, writeJsonResult } from '../core/text/json-writing.ts'

/** With the keys that agents of the ReAct kind are prompted with when they are to answer in JSON. */
const KEYS = {
  ...COMMON_KEYS,
  name: [...COMMON_KEYS.name, 'action'],
  arguments: [...COMMON_KEYS.arguments, 'action_input'],
}

/** Keys beside those of the call that a call may begin with. */
export const OTHER_KEYS: readonly string[] = ['type', 'index', 'thought', 'role', 'content']

const OPENERS = freeJson({ keys: KEYS, otherKeys: OTHER_KEYS })

export const rawJson: Protocol<'raw-json'> = {
  id: 'raw-json',
  emitters: 'small models, models whose markers were stripped',
  free: 'json',
  openers: () => OPENERS,
  // The tag before it may be lost.
  strays: ['</tool_call>'],
  ...writing(writeJsonCall('', ''), (result, place) =>
    writeJsonResult(result, place, ['name', 'result']),
  ),
}
