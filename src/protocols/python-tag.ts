/**
 * Llama 3: JSON behind the token that also begins program text.
 *
 *     <|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}; {"name": …}
 *
 * The part of {@link llama3Json} that is safe to read in any reply.
 *
 * @see https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock, jsonMarker } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'
import { resultBetween } from '../core/text/result-block.ts'

const OPEN = '<|python_tag|>'
const ENDS = ['<|eom_id|>', '<|eot_id|>']

const header = (role: string) => `<|start_header_id|>${role}<|end_header_id|>`
const ASSISTANT = header('assistant')

const OPENERS = [jsonBlock({ open: jsonMarker(OPEN), close: [], ends: ENDS })]

export const pythonTag: Protocol<'python-tag'> = {
  id: 'python-tag',
  emitters: 'Llama 3.1 to 3.3',
  endsReasoning: true,
  openers: () => OPENERS,
  tokens: [
    ...ENDS,
    ASSISTANT,
    '<|start_header_id|>',
    '<|end_header_id|>',
    '<|begin_of_text|>',
    '<|end_of_text|>',
  ],
  ...writing(writeJsonCall(OPEN, '', ['name', 'parameters'])),
  // The turns of others.
  results: ['ipython', 'tool', 'user'].map((role) =>
    resultBetween(header(role), ...ENDS, ASSISTANT),
  ),
}
