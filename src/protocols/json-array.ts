/**
 * A list of calls and nothing else: what a grammar makes any model write when it must call a tool.
 *
 *     [{"name": "get_weather", "parameters": {"city": "Oslo"}}]
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { rawJson } from './raw-json.ts'

export const jsonArray: Protocol<'json-array'> = variantOf(rawJson, {
  id: 'json-array',
  emitters: 'any model that must call a tool',
  ...writing(writeJsonCall('[', ']', ['name', 'parameters'])),
})
