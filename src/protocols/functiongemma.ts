/**
 * FunctionGemma: a name and arguments with keys that have no quotes and text between `<escape>`.
 *
 *     <start_function_call>call:get_weather{city:<escape>Oslo<escape>,days:3}<end_function_call>
 *
 * Text between delimiters stays text unless the schema asks for something else: `<escape>42<escape>`
 * is `"42"` where no schema says that it is a number.
 *
 * @see https://ai.google.dev/gemma/docs/functiongemma/formatting-and-best-practices
 */
import type { Protocol } from '../core/protocol.ts'
import { literalCalls, sequenceTokens } from '../core/text/literal-call.ts'
import { literalWriting } from '../core/text/literal-writing.ts'
import { marker } from '../core/text/marker.ts'
import { untilMarker } from '../core/text/result-block.ts'

const MARKS = { open: '<start_function_call>', close: '<end_function_call>', quote: '<escape>' }
const OPENERS = [literalCalls(MARKS)]

const RESULT = '<start_function_response>'
const RESULT_END = '<end_function_response>'

export const functiongemma: Protocol<'functiongemma'> = {
  id: 'functiongemma',
  emitters: 'FunctionGemma',
  models: ['functiongemma'],
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [MARKS.close],
  tokens: [
    ...sequenceTokens,
    ...[RESULT, RESULT_END, '<end_of_turn>'],
    ...['<start_of_turn>model\n', '<start_of_turn>user\n', '<start_of_turn>'],
  ],
  results: [{ open: marker(`${RESULT}response:`), findEnd: untilMarker(RESULT_END) }],
  ...literalWriting(MARKS, [RESULT, RESULT_END]),
}
