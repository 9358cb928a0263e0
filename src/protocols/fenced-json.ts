/**
 * A code block that holds calls and nothing else.
 *
 *     ```json
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     ```
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { rawJson } from './raw-json.ts'

export const fencedJson: Protocol<'fenced-json'> = variantOf(rawJson, {
  id: 'fenced-json',
  emitters: 'small models',
  ...writing(writeJsonCall('```json\n', '\n```')),
})
