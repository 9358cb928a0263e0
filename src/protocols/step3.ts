/**
 * Step 3: calls and parameters in tags that carry their names as attributes, between special tokens.
 *
 *     <｜tool_calls_begin｜>
 *     <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">
 *     <steptml:parameter name="city">Oslo</steptml:parameter>
 *     </steptml:invoke><｜tool_call_end｜>
 *     <｜tool_calls_end｜>
 *
 * @see https://huggingface.co/stepfun-ai/step3/blob/main/tokenizer_config.json
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { followedBy } from '../core/text/follows.ts'
import { marker } from '../core/text/marker.ts'
import { SPACE, sequence } from '../core/text/pattern.ts'
import { resultIn } from '../core/text/result-block.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'

const SPEC: TaggedCallSpec = {
  sections: [],
  calls: ['steptml:invoke'],
  parameters: ['steptml:parameter'],
  bare: 'marked',
  trim: 'block',
}

const BEGIN = '<｜tool_calls_begin｜>'
const CALL = '<｜tool_call_begin｜>function<｜tool_sep｜>'
const CALL_END = '<｜tool_call_end｜>'
const END = '<｜tool_calls_end｜>'

const TAGGED = taggedProtocol(SPEC, {})

/** A sentence about the token stays as it is. Behind it stands a tag, or a token such as `<eos>`. */
const beginsCall = followedBy(sequence(SPACE, '<', '[｜sbep]'))

export const step3: Protocol<'step3'> = {
  id: 'step3',
  emitters: 'Step 3',
  ...TAGGED,
  tokens: [
    marker(BEGIN, beginsCall),
    CALL,
    '<｜tool_call_begin｜>',
    '<｜tool_sep｜>',
    CALL_END,
    END,
    '<｜end▁of▁sentence｜>',
  ],
  ...writing(
    (call) => `${BEGIN}\n${CALL}${TAGGED.formatCall(call)}${CALL_END}\n${END}`,
    resultIn('<｜tool_output_begin｜>', '<｜tool_output_end｜>'),
  ),
}
