/**
 * Bracket: name and arguments in square brackets.
 *
 *     [tool: @get_weather {"city": "Oslo"}]
 *
 * Written by models that imitate a transcript. The arguments may be plain words, and the closing
 * bracket may be missing. Other transcripts say `[Calling tool: get_weather {…}]`.
 */
import { writing } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Opener, Protocol, ToolTable } from '../core/protocol.ts'
import { formatResultText, resultLabel } from '../core/result-text.ts'
import { anyCase, prefixAnyCase } from '../core/text/any-case.ts'
import { bracketed } from '../core/text/bracketed.ts'
import { NAME, namedJson } from '../core/text/named-json.ts'
import { ahead, literally, optional, SPACE, sequence } from '../core/text/pattern.ts'

export const BRACKET_MARKERS: readonly string[] = ['[tool:', '[tool_call:']

const CALLING = '[calling tool:'

/**
 * The bracket may close before the arguments, and `with` may stand between. Without JSON, or for a tool that
 * is not declared, it is talk about a call.
 */
const calling = ({ find, known }: ToolTable): Opener => ({
  prefix: prefixAnyCase(CALLING),
  boundary: 'line',
  ...namedJson({
    header: sequence(
      ...[anyCase(CALLING), SPACE, NAME, '[\\]\\s]{0,8}'],
      ...[optional(literally('with'), '[a-z ]{0,16}'), ':?', SPACE, ahead('\\{')],
    ),
    open: anyCase(CALLING),
    close: '\\]',
    stops: '[]',
    identify: ({ name = '' }) => (known && find(name) ? { name } : undefined),
  }),
})

export const bracket: Protocol<'bracket'> = {
  id: 'bracket',
  emitters: 'models that imitate a transcript',
  openers: (tools) => [...bracketed({ open: BRACKET_MARKERS }, tools), calling(tools)],
  ...writing(
    ({ name, arguments: args }) => `[tool: ${name} ${writeJson(args)}]`,
    (result, place) => `[result: ${resultLabel(result, place)}]\n${formatResultText(result)}`,
  ),
}
