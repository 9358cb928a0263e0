/**
 * Qwen-Agent: a name and its arguments behind words between flowers.
 *
 *     ✿FUNCTION✿: get_weather
 *     ✿ARGS✿: {"city": "Oslo"}
 *
 * @see https://github.com/QwenLM/Qwen-Agent
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { marker } from '../core/text/marker.ts'
import { NAME, namedJson, writeNamedCall } from '../core/text/named-json.ts'
import { literally, SPACE, sequence } from '../core/text/pattern.ts'
import { untilMarker } from '../core/text/result-block.ts'

const OPEN = '✿FUNCTION✿:'
const ARGUMENTS = '✿ARGS✿:'
const RESULT = '✿RESULT✿:'
const RETURN = '✿RETURN✿:'

const OPENER = {
  prefix: marker(OPEN).prefix,
  ...namedJson({
    header: sequence(literally(OPEN), SPACE, NAME, SPACE, literally(ARGUMENTS)),
    open: literally(OPEN),
    cut: OPEN.length,
    stops: '✿',
  }),
}

export const qwenAgent: Protocol<'qwen-agent'> = {
  id: 'qwen-agent',
  emitters: 'Qwen, prompted by Qwen-Agent',
  endsReasoning: true,
  openers: () => [OPENER],
  // What comes before the answer is not part of it.
  strays: [RETURN],
  results: [{ open: marker(RESULT), findEnd: untilMarker(RETURN) }],
  ...writing(writeNamedCall(`${OPEN} `, `\n${ARGUMENTS} `, ''), [`${RESULT} `, '']),
}
