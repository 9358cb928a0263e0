/**
 * JSON shim: a fenced JSON object that says it is a call.
 *
 *     ```json
 *     {"tool_call": "get_weather", "args": {"city": "Oslo"}}
 *     ```
 *
 * Asked for by prompts that put a layer over models without tools; also read without the fence.
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { freeJson } from '../core/text/free-json.ts'
import { writeJsonCall, writeJsonResult } from '../core/text/json-writing.ts'

const KEYS = {
  name: ['tool_call'],
  arguments: ['args', 'arguments'],
  id: ['id'],
  wrappers: [],
}

const OPENERS = freeJson({ keys: KEYS, firstKey: 'tool_call', bareName: true })

export const jsonShim: Protocol<'json-shim'> = {
  id: 'json-shim',
  emitters: 'any model, prompted',
  free: 'json',
  openers: () => OPENERS,
  ...writing(
    writeJsonCall('```json\n', '\n```', ['tool_call', 'args']),
    (result, place) =>
      `\`\`\`json\n${writeJsonResult(result, place, ['tool_result', 'content'])}\n\`\`\``,
  ),
}
