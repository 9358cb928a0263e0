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
import type { Marker, Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { marker } from '../core/text/marker.ts'
import { ahead, literally, markerWith, SPACE } from '../core/text/pattern.ts'

const SEPARATOR = '<|message_sep|>'
const ROLE = '<|role_sep|>'
const ROLE_NAME = 'function call'
const OPEN = '<|function_call|>'

const call = (open: Marker) => jsonBlock({ open, close: [], ends: ['</s>', SEPARATOR] })

const NAMED_OBJECT = ahead('\\{', SPACE, literally('"name"'))

const OPENERS = [
  call(markerWith(SEPARATOR, SPACE, literally(ROLE_NAME), SPACE, literally(ROLE))),
  call(marker(OPEN)),
  // What is left of a message where the first token is lost, or both of them are.
  call(markerWith(ROLE_NAME, SPACE, literally(ROLE))),
  call({ ...markerWith(ROLE_NAME, SPACE, NAMED_OBJECT), boundary: 'start' }),
]

export const gigachat3: Protocol<'gigachat3'> = {
  id: 'gigachat3',
  emitters: 'GigaChat',
  endsReasoning: true,
  openers: () => OPENERS,
  tokens: [SEPARATOR, ROLE],
  ...writing(writeJsonCall(`${SEPARATOR}\n\n${ROLE_NAME}${ROLE}\n`, '')),
}
