/**
 * InternLM 2: one object between tokens that say who acts.
 *
 *     <|action_start|><|plugin|>
 *     {"name": "get_weather", "parameters": {"city": "Oslo"}}<|action_end|>
 *
 * Behind `<|interpreter|>` stands program text, which names no tool and stays text.
 *
 * @see https://github.com/InternLM/InternLM/blob/main/chat/chat_format.md
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock, jsonMarker } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { literally, markerWith, SPACE } from '../core/text/pattern.ts'

const ACTION = '<|action_start|>'
const CLOSE = '<|action_end|>'

const actionOf = (actor: string) => markerWith(ACTION, SPACE, literally(actor))

const PLUGIN = '<|plugin|>'

const OPENERS = [actionOf(PLUGIN), jsonMarker(PLUGIN, CLOSE)].map((open) =>
  jsonBlock({ open, close: [CLOSE] }),
)

export const internlm2: Protocol<'internlm2'> = {
  id: 'internlm2',
  emitters: 'InternLM2, Intern-S1',
  endsReasoning: true,
  openers: () => OPENERS,
  tokens: [actionOf('<|interpreter|>'), CLOSE],
  ...writing(writeJsonCall(`${ACTION}${PLUGIN}\n`, CLOSE, ['name', 'parameters'])),
}
