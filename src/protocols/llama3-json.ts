/**
 * Llama 3 and 4: calls as JSON, with or without a token before them.
 *
 *     <|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}
 *     {"name": "get_weather", "parameters": {"city": "Oslo"}}; {"name": "get_time", "parameters": {}}
 *
 * @see https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { pythonTag } from './python-tag.ts'
import { rawJson } from './raw-json.ts'

export const llama3Json: Protocol<'llama3-json'> = variantOf(pythonTag, {
  id: 'llama3-json',
  emitters: 'Llama 3.1 to 3.3 and 4',
  openers: (tools) => [...pythonTag.openers(tools), ...rawJson.openers(tools)],
  ...writing(writeJsonCall('', '', ['name', 'parameters'])),
  results: pythonTag.results ?? [],
})
