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
import { followedBy } from '../core/text/follows.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { marker } from '../core/text/marker.ts'
import { sequence } from '../core/text/pattern.ts'
import { untilLine } from '../core/text/result-block.ts'

const OPEN = '~~~tool_call'
const CLOSE = '~~~'
const RESULT = '~~~tool_result'

/** Nothing but white space on the line; more of it than is looked at makes it another line. */
const endOfLine = followedBy(sequence('[ \\t\\r]{0,499}', '\\n'))

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
