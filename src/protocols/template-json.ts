/**
 * JSON wherever a chat template puts it: bare, in a list, or behind a marker.
 *
 *     One moment. {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     [TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Oslo"}}]
 *
 * For models whose format is known only from their template.
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { deepseekV3 } from './deepseek-v3.ts'
import { hermes } from './hermes.ts'
import { mistralArray } from './mistral-array.ts'
import { pythonTag } from './python-tag.ts'
import { rawJson } from './raw-json.ts'

const MARKED = [hermes, mistralArray, pythonTag, deepseekV3]

export const templateJson: Protocol<'template-json'> = variantOf(hermes, {
  id: 'template-json',
  emitters: 'any model, by its template',
  openers: (tools) => [...MARKED, rawJson].flatMap((protocol) => protocol.openers(tools)),
  strays: MARKED.flatMap(({ strays = [] }) => strays),
  tokens: MARKED.flatMap(({ tokens = [] }) => tokens),
  ...writing(writeJsonCall('', '')),
})
