/**
 * Inkling: messages, each with a header that says what it holds; some hold a call.
 *
 *     <|message_model|>get_weather<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": "Oslo"}}<|end_message|>
 *
 * A name in the header is repeated in the JSON, and what the JSON says counts.
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { marker } from '../core/text/marker.ts'
import { ahead, literally, markerWith } from '../core/text/pattern.ts'

const MESSAGE = '<|message_model|>'
const OPEN = '<|content_invoke_tool_json|>'
const CLOSE = '<|end_message|>'

const OPENERS = [jsonBlock({ open: marker(OPEN), close: [CLOSE] })]

/** A name goes with the header before it. */
const NAMED_MESSAGE = markerWith(MESSAGE, '[\\w.-]{1,64}', ahead(literally('<|content_')))

export const inkling: Protocol<'inkling'> = {
  id: 'inkling',
  emitters: 'Inkling',
  endsReasoning: true,
  openers: () => OPENERS,
  tokens: [
    NAMED_MESSAGE,
    MESSAGE,
    CLOSE,
    '<|content_text|>',
    '<|content_tool_error|>',
    '<|content_invoke_tool_text|>',
  ],
  reasoning: [{ open: '<|content_thinking|>', close: [CLOSE], until: [MESSAGE] }],
  ...writing(writeJsonCall(MESSAGE + OPEN, CLOSE, ['name', 'args'])),
}
