/**
 * Phi-4-mini: a list of calls behind a word, or between tokens.
 *
 *     functools[{"name": "get_weather", "arguments": {"city": "Oslo"}}]
 *     <|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]<|/tool_call|>
 *
 * The closing token is often missing.
 *
 * @see https://huggingface.co/microsoft/Phi-4-mini-instruct
 */
import { writing } from '../core/instructions.ts'
import type { Opener, Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { marker } from '../core/text/marker.ts'
import { ahead, markerWith, SPACE } from '../core/text/pattern.ts'

const CLOSE = '<|/tool_call|>'

/** The word is also that of a Python module, so a list of objects must follow. */
const WORD = markerWith('functools', ahead(SPACE, '\\[', SPACE, '\\{'))

const FUNCTOOLS = jsonBlock({
  open: { ...WORD, boundary: 'word' },
  close: [],
})

export const TOOL_CALL_TOKEN: Opener = jsonBlock({
  open: marker('<|tool_call|>'),
  close: [],
  ends: [CLOSE],
})

const OPENERS = [FUNCTOOLS, TOOL_CALL_TOKEN]

export const phi4Mini: Protocol<'phi4-mini'> = {
  id: 'phi4-mini',
  emitters: 'Phi-4-mini',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE],
  tokens: ['<|end|>'],
  ...writing(writeJsonCall('functools[', ']')),
}
