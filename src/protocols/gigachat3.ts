/**
 * GigaChat 3: one object in a message of its own, or behind a token.
 *
 *     <|message_sep|>
 *
 *     function call<|role_sep|>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *
 *     <|function_call|>{"name": "get_weather", "arguments": {"city": "Oslo"}}
 *
 * @see https://huggingface.co/ai-sage/GigaChat3-10B-A1.8B
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { marker } from '../core/text/marker.ts'
import { literally, patternReader, SPACE, sequence } from '../core/text/pattern.ts'

const SEPARATOR = '<|message_sep|>'
const ROLE = '<|role_sep|>'
const OPEN = '<|function_call|>'

const MESSAGE = {
  ...marker(SEPARATOR),
  match: patternReader(
    sequence(literally(SEPARATOR), SPACE, literally('function call'), SPACE, literally(ROLE)),
  ).match,
}

const rest = { close: [], ends: ['</s>', SEPARATOR] }

const OPENERS = [jsonBlock({ open: MESSAGE, ...rest }), jsonBlock({ open: marker(OPEN), ...rest })]

export const gigachat3: Protocol<'gigachat3'> = {
  id: 'gigachat3',
  emitters: 'GigaChat',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: ['</s>'],
  tokens: [SEPARATOR, ROLE],
  ...writing(writeJsonCall(`${SEPARATOR}\n\nfunction call${ROLE}\n`, '')),
}
