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
import { literalProtocol } from './families/literal-protocol.ts'

export const functiongemma: Protocol<'functiongemma'> = {
  id: 'functiongemma',
  emitters: 'FunctionGemma',
  // Without their tokens, calls look the same in both.
  before: ['gemma4'],
  ...literalProtocol(
    { open: '<start_function_call>', close: '<end_function_call>', delimiter: '<escape>' },
    ['<start_function_response>', '<end_function_response>'],
    ['<end_of_turn>', '<start_of_turn>model\n', '<start_of_turn>user\n', '<start_of_turn>'],
  ),
}
