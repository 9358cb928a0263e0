/**
 * XML attributes: the call is one tag, name and arguments are its attributes.
 *
 *     <tool_call name="get_weather" args='{"city": "Oslo"}' />
 *
 * `<tool …>` is an alias. `<agent_call agent="…" task="…">more of the task</agent_call>` hands work to
 * another agent and is a call of the tool `agent_call`.
 */
import { writing } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Opener, Protocol } from '../core/protocol.ts'
import { answeredCall, formatResultText } from '../core/result-text.ts'
import { attributeTag } from '../core/text/attribute-tag.ts'
import { marker } from '../core/text/marker.ts'
import { NAME, namedJson } from '../core/text/named-json.ts'
import { literally, markerWith, SPACE, sequence } from '../core/text/pattern.ts'
import { untilMarker } from '../core/text/result-block.ts'
import { escapeName } from '../core/text/tagged-writing.ts'

const PAIRS = ['tool_call', 'function_call']

/** A pair of tags with the arguments between them. */
const pair = (tag: string): Opener => ({
  ...marker(`<${tag}`),
  ...namedJson({
    header: sequence(
      ...[literally(`<${tag}`), '\\s{1,16}', literally('name=')],
      ...[`["']`, NAME, `["']`, SPACE, '>', SPACE, '(?=\\{)'],
    ),
    open: literally(`<${tag}`),
    close: literally(`</${tag}>`),
    closer: `</${tag}>`,
  }),
  priority: 1,
})

const OPENERS = [
  ...PAIRS.map(pair),
  attributeTag({ tag: 'tool_call', name: { attribute: 'name' }, arguments: 'args', sure: true }),
  attributeTag({ tag: 'tool', name: { attribute: 'name' }, arguments: 'args' }),
  attributeTag({
    tag: 'agent_call',
    name: { tool: 'agent_call' },
    required: ['agent', 'task'],
    body: 'task',
    sure: true,
  }),
]

export const xmlAttributes: Protocol<'xml-attributes'> = {
  id: 'xml-attributes',
  emitters: 'any model, prompted',
  openers: () => OPENERS,
  strays: [...PAIRS, 'tool', 'agent_call'].map((tag) => `</${tag}>`),
  results: [
    {
      open: markerWith('<tool_result ', '[^<>]{0,128}', '>'),
      findEnd: untilMarker('</tool_result>'),
    },
  ],
  ...writing(
    ({ name, arguments: args }) =>
      `<tool_call name="${escapeName(name)}" args="${escapeName(writeJson(args))}" />`,
    (result, place) => {
      const answers = answeredCall(place)
      const attributes = { name: result.name ?? '', ...(answers !== undefined && { answers }) }
      const written = Object.entries(attributes).map(
        ([key, value]) => ` ${key}="${escapeName(value)}"`,
      )
      return `<tool_result${written.join('')}>\n${formatResultText(result)}\n</tool_result>`
    },
  ),
}
