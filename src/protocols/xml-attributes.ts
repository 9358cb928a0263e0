/**
 * XML attributes: the call is one tag, name and arguments are its attributes.
 *
 *     <tool_call name="get_weather" args='{"city": "Oslo"}' />
 *
 * `<tool …>` is an alias. `<agent_call agent="…" task="…">more of the task</agent_call>` hands work to
 * another agent and is a call of the tool `agent_call`.
 */
import { describeTools, EXAMPLE_CALL } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Protocol } from '../core/protocol.ts'
import { formatResultText } from '../core/result-text.ts'
import { attributeTag } from '../core/text/attribute-tag.ts'

const OPENERS = [
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
  strays: ['</tool_call>', '</tool>', '</agent_call>'],

  formatTools: (tools, options) =>
    describeTools({ tools, ...options, how: xmlAttributes.formatCall(EXAMPLE_CALL) }),

  formatCall: ({ name, arguments: args }) =>
    `<tool_call name="${escapeAttribute(name)}" args="${escapeAttribute(writeJson(args))}" />`,

  formatResult: (result) =>
    `<tool_result name="${escapeAttribute(result.name ?? '')}">\n${formatResultText(result)}\n</tool_result>`,
}

function escapeAttribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
