/**
 * Function pattern: a call as in a program, on a line of its own.
 *
 *     get_weather(city="Oslo", days=3)
 *
 * Arguments are JSON values behind their names, or in the order of the schema. Without declared
 * tools every `word(…)` would be a call, so it must be asked for by name then.
 */
import { writing } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Protocol } from '../core/protocol.ts'
import { formatResultText, resultLabel } from '../core/result-text.ts'
import { functionCalls } from '../core/text/function-call.ts'

export const functionPattern: Protocol<'function-pattern'> = {
  id: 'function-pattern',
  emitters: 'any model, prompted',
  free: 'text',
  openers: functionCalls,
  ...writing(
    ({ name, arguments: args }) => `${name}(${writeJson(args)})`,
    (result, place) => `${resultLabel(result, place)} returned:\n${formatResultText(result)}`,
  ),
}
