/**
 * Text-tagged: a fence of tildes on lines of its own, with one JSON object between.
 *
 *     ~~~tool_call
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     ~~~
 *
 * The format we ask for when a model has no format of its own: easy to write, hard to confuse. Some models
 * write the block on one line.
 */
import { writing } from '../core/instructions.ts'
import type { Marker, Protocol } from '../core/protocol.ts'
import { followedBy } from '../core/text/follows.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { marker } from '../core/text/marker.ts'
import { oneOf, sequence } from '../core/text/pattern.ts'
import { untilLine } from '../core/text/result-block.ts'

export const OPEN = '~~~tool_call'
export const CLOSE = '~~~'
const RESULT = '~~~tool_result'

/** Nothing but white space on the line; more of it than is looked at makes it another line. */
const endOfLine = followedBy(sequence('[ \\t\\r]{0,499}', '\\n'))
const endOfLineOrJson = followedBy(
  sequence('[ \\t\\r]{0,499}', oneOf('\\n', '\\{', sequence('\\[', '\\s{0,64}', '\\{'))),
)

/** The opening fence, with nothing else on its line. */
export const FENCE_LINE: Marker = { ...marker(OPEN, endOfLine), boundary: 'line' }

/** The same, or with the call on its line. */
const FENCE: Marker = { ...marker(OPEN, endOfLineOrJson), boundary: 'line' }

const OPENERS = [jsonBlock({ open: FENCE, close: [CLOSE] })]

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
