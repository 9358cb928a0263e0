/**
 * ReAct: a tool's name and its input on lines of their own, as LangChain's agents prompt for it.
 *
 *     Thought: I need the weather.
 *     Action: get_weather
 *     Action Input: {"city": "Oslo"}
 *
 * Thoughts and the final answer are text.
 *
 * @see https://arxiv.org/abs/2210.03629
 */
import { writing } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Protocol } from '../core/protocol.ts'
import { reactSteps } from './families/react-calls.ts'

export const react: Protocol<'react'> = {
  id: 'react',
  emitters: 'models with a ReAct prompt, such as that of LangChain',
  openers: reactSteps,
  ...writing(
    ({ name, arguments: args }) => `Action: ${name}\nAction Input: ${writeJson(args)}`,
    ['Observation: ', '\n'],
  ),
}
