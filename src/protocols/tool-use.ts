/**
 * Tool use in tags: a name, and the arguments as JSON. What Cherry Studio prompts models with.
 *
 *     <tool_use>
 *       <name>get_weather</name>
 *       <arguments>{"city": "Oslo"}</arguments>
 *     </tool_use>
 *
 * @see https://docs.cherry-ai.com
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { answeredCall, formatResultText } from '../core/result-text.ts'
import { marker } from '../core/text/marker.ts'
import { NAME, namedJson, writeNamedCall } from '../core/text/named-json.ts'
import { literally, optional, SPACE, sequence } from '../core/text/pattern.ts'
import { resultBetween } from '../core/text/result-block.ts'

const OPEN = '<tool_use>'
const CLOSE = '</tool_use>'
const ARGUMENTS_CLOSE = '</arguments>'
const RESULT = '<tool_use_result>'
const RESULT_CLOSE = '</tool_use_result>'

const NAME_OPEN = '<name>'

const CALL = namedJson({
  header: sequence(
    // The first tag may be lost.
    ...[optional(literally(OPEN), SPACE), literally(NAME_OPEN), SPACE, NAME, SPACE],
    ...[literally('</name>'), SPACE, literally('<arguments>')],
  ),
  open: literally(OPEN),
  cut: OPEN.length + NAME_OPEN.length,
  close: sequence(optional(literally(ARGUMENTS_CLOSE), SPACE), literally(CLOSE)),
  closer: CLOSE,
})

const OPENERS = [OPEN, NAME_OPEN].map((open) => ({ prefix: marker(open).prefix, ...CALL }))

export const toolUse: Protocol<'tool-use'> = {
  id: 'tool-use',
  emitters: 'any model, prompted, as by Cherry Studio',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [ARGUMENTS_CLOSE, CLOSE],
  results: [resultBetween(RESULT, RESULT_CLOSE)],
  ...writing(
    writeNamedCall(`${OPEN}\n  <name>`, '</name>\n  <arguments>', `${ARGUMENTS_CLOSE}\n${CLOSE}`),
    (result, place) => {
      const answers = answeredCall(place)
      const call = answers === undefined ? '' : `  <answers>${answers}</answers>\n`
      return `${RESULT}\n  <name>${result.name ?? ''}</name>\n${call}  <result>${formatResultText(result)}</result>\n${RESULT_CLOSE}`
    },
  ),
}
