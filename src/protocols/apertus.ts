/**
 * Apertus: a list of objects between tokens; each key is the name of a tool.
 *
 *     <|tools_prefix|>[{"get_weather": {"city": "Oslo"}}, {"get_time": {}}]<|tools_suffix|>
 *
 * @see https://huggingface.co/swiss-ai/Apertus-8B-Instruct-2509
 */
import { writing } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Opener, Protocol, ToolTable } from '../core/protocol.ts'
import { jsonBlock } from '../core/text/json-block.ts'
import { marker } from '../core/text/marker.ts'
import { either, markerWith, SPACE } from '../core/text/pattern.ts'

const OPEN = '<|tools_prefix|>'
const CLOSE = '<|tools_suffix|>'

const KEYS = {
  name: ['name'],
  arguments: ['arguments', 'parameters'],
  id: [],
  wrappers: [],
  named: true,
}

const MARKED = jsonBlock({ open: marker(OPEN), close: [CLOSE], keys: KEYS })

/** Where the tokens are lost, a list of objects that name tools is left. */
const unmarked = ({ names }: ToolTable): Opener => {
  const isTool = either(...names.map((name) => `"${name}"`))
  const list = markerWith('[', SPACE, '\\{', SPACE, isTool, SPACE, ':', SPACE, '\\{')
  const open = { ...list, boundary: 'start' } as const
  return { ...jsonBlock({ open, close: [], keys: KEYS }), keep: true }
}

export const apertus: Protocol<'apertus'> = {
  id: 'apertus',
  emitters: 'Apertus',
  endsReasoning: true,
  openers: (tools) => [MARKED, ...(tools.names.length > 0 ? [unmarked(tools)] : [])],
  tokens: [CLOSE, '<|assistant_end|>'],
  reasoning: [{ open: '<|inner_prefix|>', close: ['<|inner_suffix|>'] }],
  ...writing(({ name, arguments: args }) => `${OPEN}[${writeJson({ [name]: args })}]${CLOSE}`),
}
