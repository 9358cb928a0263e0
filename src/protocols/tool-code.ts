/**
 * Tool code: a block of Python with nothing but calls in it.
 *
 *     ```tool_code
 *     print(get_weather(city="Oslo"))
 *     ```
 *
 * Where the fence is lost, the word is left. Gemini writes tags in its place.
 *
 * @see https://ai.google.dev/gemma/docs/capabilities/function-calling
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { callFollows, pythonCalls } from '../core/text/literal-call.ts'
import { writePythonCall } from '../core/text/literal-writing.ts'
import { marker, startMarker } from '../core/text/marker.ts'
import { ON_LINE } from '../core/text/quote-end.ts'
import { untilLine } from '../core/text/result-block.ts'

const WORD = 'tool_code\n'
const OPEN = `\`\`\`${WORD}`
const ON_LINE_OPEN = '```tool_code '
const CLOSE = '```'
const TAG = '<tool_code>'
const TAG_CLOSE = '</tool_code>'
const RESULT = '```tool_output\n'

export const toolCode: Protocol<'tool-code'> = {
  id: 'tool-code',
  emitters: 'Gemma 2 and 3, prompted, Gemini',
  openers: (tools) => {
    const follows = callFollows((name) => tools.find(name) !== undefined)
    return [
      pythonCalls({
        open: { ...marker(OPEN, follows), boundary: 'line' },
        close: CLOSE,
        endsText: ON_LINE,
        alone: 'in-fence',
      }),
      // On one line.
      pythonCalls({
        open: { ...marker(ON_LINE_OPEN, follows), boundary: 'line' },
        close: CLOSE,
        endsText: ON_LINE,
        alone: 'in-list',
      }),
      pythonCalls({ open: startMarker(WORD, follows), endsText: ON_LINE }),
      pythonCalls({ open: marker(TAG, follows), close: TAG_CLOSE, endsText: ON_LINE }),
      // With nothing around it, only the namespace says that no program is shown.
      {
        ...pythonCalls({
          open: startMarker('print(default_api.', follows),
          endsText: ON_LINE,
          alone: 'in-list',
        }),
        keep: true,
      },
    ]
  },
  results: [{ open: { ...marker(RESULT), boundary: 'line' }, findEnd: untilLine(CLOSE) }],
  ...writing(writePythonCall(`${OPEN}print(`, `)\n${CLOSE}`), [RESULT, `\n${CLOSE}`]),
}
