/**
 * MiniMax M3: a tag for each argument, and the same mark before every tag. Objects are tags inside,
 * arrays `<item>` tags; the tool's schema says what the texts are.
 *
 *     ]<]minimax[>[<tool_call>
 *     ]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Oslo]<]minimax[>[</city>]<]minimax[>[</invoke>
 *     ]<]minimax[>[</tool_call>
 *
 * @see https://huggingface.co/MiniMaxAI
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { elementCalls } from './families/element-calls.ts'
import { writeElements } from './families/element-writing.ts'

const LEAD = ']<]minimax[>['
const OPENERS = elementCalls({ lead: LEAD, section: 'tool_call', call: 'invoke' })

export const minimaxM3: Protocol<'minimax-m3'> = {
  id: 'minimax-m3',
  emitters: 'MiniMax M3',
  endsReasoning: true,
  rawText: true,
  openers: () => OPENERS,
  strays: [`${LEAD}</invoke>`, `${LEAD}</tool_call>`],
  tokens: [LEAD, ']~b]', '[e~['],
  ...writing(
    ({ name, arguments: args }) =>
      `${LEAD}<tool_call>\n${LEAD}<invoke name="${name}">${writeElements(args, LEAD)}${LEAD}</invoke>\n${LEAD}</tool_call>`,
  ),
}
