/**
 * xLAM: a list of calls, bare or behind the markers of other formats.
 *
 *     [{"name": "get_weather", "arguments": {"city": "Oslo"}}]
 *     [TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo"}}]
 *     <tool_call>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</tool_call>
 *
 * @see https://huggingface.co/Salesforce/Llama-xLAM-2-8b-fc-r
 */
import { writing } from '../core/instructions.ts'
import { type Protocol, variantOf } from '../core/protocol.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { hermes } from './hermes.ts'
import { mistralArray } from './mistral-array.ts'
import { rawJson } from './raw-json.ts'

export const xlam: Protocol<'xlam'> = variantOf(hermes, {
  id: 'xlam',
  emitters: 'xLAM 2 and Hammer',
  tokens: [...(hermes.tokens ?? []), '<|eot_id|>'],
  openers: (tools) =>
    [hermes, mistralArray, rawJson].flatMap((protocol) => protocol.openers(tools)),
  ...writing(writeJsonCall('[', ']')),
})
