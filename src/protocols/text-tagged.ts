/**
 * Text-tagged: a fence of tildes on lines of its own, with one JSON object between.
 *
 *     ~~~tool_call
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     ~~~
 *
 * The format we ask for when a model has no format of its own: easy to write, hard to confuse.
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { endOfLine, jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { marker } from '../core/text/marker.ts'
import { untilLine } from '../core/text/result-block.ts'

const OPEN = '~~~tool_call'
const CLOSE = '~~~'
const RESULT = '~~~tool_result'

/** The opener with its line; `lists` says whether a list of calls may stand in one block. */
export function textTaggedOpener(lists: boolean): ReturnType<typeof jsonBlock> {
  const open = { ...marker(OPEN, endOfLine), boundary: 'line' } as const
  return jsonBlock({ open, close: [CLOSE], lists })
}

const OPENERS = [textTaggedOpener(true)]

export const textTagged: Protocol<'text-tagged'> = {
  id: 'text-tagged',
  emitters: 'any model, prompted',
  openers: () => OPENERS,
  results: [
    {
      open: { ...marker(RESULT, endOfLine), boundary: 'line' },
      findEnd: untilLine(CLOSE),
    },
  ],
  ...writing(writeJsonCall(`${OPEN}\n`, `\n${CLOSE}`), [`${RESULT}\n`, `\n${CLOSE}`]),
}
