/**
 * Llama 3.1: the tools it was trained with, called as in a program.
 *
 *     <|python_tag|>brave_search.call(query="fjords of Norway")
 *
 * The same token also begins program text, which is no call. Servers that lose it leave the call.
 *
 * @see https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1
 */
import { writing } from '../core/instructions.ts'
import type { Marker, Protocol } from '../core/protocol.ts'
import { onOwnLine } from '../core/text/followed-calls.ts'
import { callFollows, pythonCalls } from '../core/text/literal-call.ts'
import { writePythonCall } from '../core/text/literal-writing.ts'
import { marker, startMarker } from '../core/text/marker.ts'
import { ANYWHERE } from '../core/text/quote-end.ts'
import { pythonTag } from './python-tag.ts'

const OPEN = '<|python_tag|>'
const SUFFIX = '.call'

export const llamaBuiltin: Protocol<'llama-builtin'> = {
  id: 'llama-builtin',
  emitters: 'Llama 3.1 to 3.3',
  endsReasoning: true,
  openers: (tools) => {
    const isCall = (name: string) =>
      name.endsWith(SUFFIX) || (tools.known && tools.find(name) !== undefined)
    const calls = (open: Marker) => pythonCalls({ open, endsText: ANYWHERE, suffix: SUFFIX })
    return [
      // JSON behind the same token may begin with a bracket as well.
      { ...calls(marker(OPEN, callFollows(isCall))), priority: 1 },
      ...tools.names.map((name) => ({
        ...onOwnLine(calls(startMarker(`${name}${SUFFIX}(`))),
        keep: true,
      })),
    ]
  },
  tokens: pythonTag.tokens ?? [],
  ...writing(writePythonCall(OPEN, '', SUFFIX)),
  results: pythonTag.results ?? [],
}
