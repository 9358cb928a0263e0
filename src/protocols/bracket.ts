/**
 * Bracket: name and arguments in square brackets.
 *
 *     [tool: @get_weather {"city": "Oslo"}]
 *
 * Written by models that imitate a transcript. The arguments may be plain words, and the closing
 * bracket may be missing.
 */
import { writing } from '../core/instructions.ts'
import { writeJson } from '../core/json/write.ts'
import type { Protocol } from '../core/protocol.ts'
import { formatResultText } from '../core/result-text.ts'
import { bracketed } from '../core/text/bracketed.ts'

export const BRACKET_MARKERS: readonly string[] = ['[tool:', '[tool_call:']

export const bracket: Protocol<'bracket'> = {
  id: 'bracket',
  emitters: 'models that imitate a transcript',
  openers: (tools) => bracketed({ open: BRACKET_MARKERS }, tools),
  ...writing(
    ({ name, arguments: args }) => `[tool: ${name} ${writeJson(args)}]`,
    (result) => `[result: ${result.name ?? ''}]\n${formatResultText(result)}`,
  ),
}
