/**
 * dots.llm: calls and parameters in tags that carry their names as attributes, or JSON.
 *
 *     <dots_function_call>
 *     <invoke name="get_weather">
 *     <parameter name="city">Oslo</parameter>
 *     </invoke>
 *     </dots_function_call>
 *
 *     <dots_function_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</dots_function_call>
 */
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { taggedCall } from '../core/text/tagged-call.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'

const CLOSE = '</dots_function_call>'

const SPEC: TaggedCallSpec = {
  sections: ['dots_function_call'],
  calls: ['invoke'],
  parameters: ['parameter'],
  trim: 'block',
}

const JSON_OPENER = jsonBlock({ open: '<dots_function_call>', close: [CLOSE] })

export const dots: Protocol<'dots'> = {
  id: 'dots',
  emitters: 'dots.llm',
  ...taggedProtocol(SPEC, {}),
  tokens: ['<|endofresponse|>'],
  openers: (tools) => [taggedCall(SPEC, tools), JSON_OPENER],
}
