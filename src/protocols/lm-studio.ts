/**
 * LM Studio: what it asks models for that were not trained to call tools.
 *
 *     [TOOL_REQUEST]{"name": "get_weather", "arguments": {"city": "Oslo"}}[END_TOOL_REQUEST]
 *
 * Models that remember it only half write `[TOOL_CALL]…[/TOOL_CALL]`.
 *
 * @see https://lmstudio.ai/docs/developer/openai-compat/tools
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { resultIn } from '../core/text/result-block.ts'

const OPEN = '[TOOL_REQUEST]'
const CLOSE = '[END_TOOL_REQUEST]'
const OTHERS = ['TOOL_CALL', 'tool_call']
const OTHER_CLOSES = OTHERS.map((name) => `[/${name}]`)

const OPENERS = [
  jsonBlock({ open: OPEN, close: [CLOSE] }),
  ...OTHERS.map((name) => jsonBlock({ open: `[${name}]`, close: [`[/${name}]`] })),
]

export const lmStudio: Protocol<'lm-studio'> = {
  id: 'lm-studio',
  emitters: 'any model in LM Studio',
  endsReasoning: true,
  openers: () => OPENERS,
  strays: [CLOSE, ...OTHER_CLOSES],
  ...writing(writeJsonCall(OPEN, CLOSE), resultIn('[TOOL_RESULT]', '[END_TOOL_RESULT]')),
}
