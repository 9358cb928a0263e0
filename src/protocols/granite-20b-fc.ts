/**
 * Granite 20B function calling: each call behind a tag, without a closer.
 *
 *     <function_call> {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     <function_call> {"name": "get_time", "arguments": {}}
 *
 * Models that learned from Glaive's data write `<functioncall>`, and their arguments as text.
 *
 * @see https://huggingface.co/ibm-granite/granite-20b-functioncalling
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'

const OPEN = '<function_call>'
const CLOSE = '</function_call>'

const OPENERS = [
  jsonBlock({ open: OPEN, close: [], ends: [CLOSE], none: ['no_function'] }),
  jsonBlock({ open: '<functioncall>', close: [], ends: ['</functioncall>'] }),
]

export const granite20bFc: Protocol<'granite-20b-fc'> = {
  id: 'granite-20b-fc',
  emitters: 'Granite 20B function calling, Glaive',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE],
  ...writing(writeJsonCall(`${OPEN} `, '')),
}
