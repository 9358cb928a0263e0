/**
 * DeepSeek's DSML: calls and parameters in tags of a namespace of their own; each parameter says
 * whether it is text or JSON. A JSON object may stand in place of the parameters.
 *
 *     <｜DSML｜function_calls>
 *     <｜DSML｜invoke name="get_weather">
 *     <｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>
 *     <｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>
 *     </｜DSML｜invoke>
 *     </｜DSML｜function_calls>
 *
 * V4 writes `tool_calls` for `function_calls`.
 *
 * @see https://huggingface.co/deepseek-ai/DeepSeek-V3.2/tree/main/encoding
 */
import type { Protocol } from '../core/protocol.ts'
import { xmlMarks } from '../core/text/tag.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'

const SPEC: TaggedCallSpec = {
  marks: xmlMarks('DSML'),
  sections: ['function_calls', 'tool_calls', 'calls'],
  calls: ['invoke'],
  parameters: ['parameter'],
  bare: 'marked',
  trim: 'none',
}

export const deepseekDsml: Protocol<'deepseek-dsml'> = {
  id: 'deepseek-dsml',
  emitters: 'DeepSeek V3.2, DeepSeek V4',
  ...taggedProtocol(SPEC, { typed: true }, ['<function_results>\n', '\n</function_results>']),
  tokens: ['<｜begin▁of▁sentence｜>', '<｜end▁of▁sentence｜>', '<｜Assistant｜>'],
}
