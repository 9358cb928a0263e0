/**
 * Solar Open: id, name and arguments between tokens of their own.
 *
 *     <|tool_calls|><|tool_call:begin|>7f3k9d2m1x<|tool_call:name|>get_weather<|tool_call:args|>{"city": "Oslo"}<|tool_call:end|><|calls|>
 *
 * @see https://huggingface.co/upstage/Solar-Open-100B
 */
import { writing } from '../core/instructions.ts'
import type { ToolResult } from '../core/model.ts'
import type { Protocol, ResultPlace } from '../core/protocol.ts'
import { placedResultText } from '../core/result-text.ts'
import { NAME, namedJson, plainId, writeNamedCall } from '../core/text/named-json.ts'
import { either, literally, optional, SPACE, sequence, twice } from '../core/text/pattern.ts'
import { resultIn } from '../core/text/result-block.ts'

const SECTION = '<|tool_calls|>'
const CALL = '<|tool_call:begin|>'
const CALL_NAME = '<|tool_call:name|>'
const ARGS = '<|tool_call:args|>'
const CLOSE = '<|tool_call:end|>'
const SECTION_END = '<|calls|>'

const OPEN = either(SECTION, CALL)

const OPENERS = [
  {
    prefix: [...SECTION.slice(0, 6)],
    ...namedJson({
      open: OPEN,
      header: sequence(
        twice(OPEN),
        SPACE,
        optional(literally(CALL)),
        SPACE,
        '(?<id>\\w{0,64})',
        SPACE,
        literally(CALL_NAME),
        SPACE,
        NAME,
        SPACE,
        literally(ARGS),
      ),
      cut: CALL.length,
      close: literally(CLOSE),
      closer: CLOSE,
      tail: literally(SECTION_END),
      chained: true,
    }),
  },
]

/** Id and name in places of their own, as the template of the models has it. */
function writeResult({ callId, name = 'unknown', ...result }: ToolResult, place?: ResultPlace) {
  const text = placedResultText(result, place)
  return `${plainId(callId) || '0'}<|tool_response:name|>${name}<|tool_response:result|>${text}`
}

export const solar: Protocol<'solar'> = {
  id: 'solar',
  emitters: 'Solar Open',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE, SECTION_END],
  tokens: ['<|begin|>assistant', '<|content|>', '<|flush|>', '<|end|>'],
  reasoning: [{ open: '<|think|>', close: ['<|end|>'], until: ['<|begin|>', SECTION, CALL] }],
  ...writing(
    writeNamedCall(
      ({ id }) => `${SECTION}${CALL}${plainId(id) || '0'}${CALL_NAME}`,
      ARGS,
      `${CLOSE}${SECTION_END}`,
    ),
    resultIn('<|tool_response:begin|>', '<|tool_response:end|>', writeResult),
  ),
}
