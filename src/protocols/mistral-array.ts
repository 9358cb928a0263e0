/**
 * Mistral, up to version 7 of its tokenizer: a list of calls behind a token.
 *
 *     [TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "1a2b3c4d5"}]
 *
 * @see https://docs.mistral.ai/capabilities/function_calling
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall, writeJsonResult } from '../core/text/json-writing.ts'
import { resultIn } from '../core/text/result-block.ts'

const OPEN = '[TOOL_CALLS]'
const CLOSE = '[/TOOL_CALLS]'

const OPENERS = [jsonBlock({ open: OPEN, close: [], ends: [CLOSE, '</s>'] })]

export const mistralArray: Protocol<'mistral-array'> = {
  id: 'mistral-array',
  emitters: 'Mistral 7B, Mistral Nemo, Mistral Large, Mistral Small, Mixtral',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE],
  ...writing(
    writeJsonCall(`${OPEN} [`, ']', ['name', 'arguments', 'id']),
    resultIn('[TOOL_RESULTS] ', '[/TOOL_RESULTS]', (result, place) =>
      writeJsonResult(result, place, ['name', 'content', 'call_id']),
    ),
  ),
}
