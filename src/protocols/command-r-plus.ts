/**
 * Command R and R+: a list of calls in a code block behind the word "Action".
 *
 *     Action:
 *     ```json
 *     [
 *         {"tool_name": "get_weather", "parameters": {"city": "Oslo"}}
 *     ]
 *     ```
 *
 * @see https://docs.cohere.com/docs/command-r-hf
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { ahead, literally, markerWith, SPACE } from '../core/text/pattern.ts'

const OPENERS = [
  jsonBlock({
    open: {
      ...markerWith('Action:', SPACE, literally('```json'), SPACE, ahead('\\[')),
      boundary: 'line',
    },
    close: ['```'],
    // Tools in its prompt that say that none is needed.
    none: ['directly-answer', 'directly_answer'],
  }),
]

export const commandRPlus: Protocol<'command-r-plus'> = {
  id: 'command-r-plus',
  emitters: 'Command R, Command R+',
  openers: () => OPENERS,
  tokens: ['<|END_OF_TURN_TOKEN|>'],
  ...writing(writeJsonCall('Action:\n```json\n[\n    ', '\n]\n```', ['tool_name', 'parameters'])),
}
