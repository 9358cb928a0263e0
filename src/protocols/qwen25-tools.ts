/**
 * Qwen 2.5 Coder at times: calls between the tags in which its prompt declares the tools.
 *
 *     <tools>
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     </tools>
 *
 * A declaration repeated in a reply has no arguments, so only calls of declared tools count.
 *
 * @see https://huggingface.co/Qwen/Qwen2.5-Coder-32B-Instruct
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { jsonBlock, jsonMarker } from '../core/text/json-block.ts'
import { writeJsonCall } from '../core/text/json-writing.ts'

const OPEN = '<tools>'
const CLOSE = '</tools>'

const KEYS = {
  name: ['name'],
  arguments: ['arguments'],
  id: ['id'],
  wrappers: ['function', 'tool_calls'],
}

// Some have a tag for each, or one that says no more than that data follow.
const OPENERS = ['tools', 'tool', 'json', 'xml', 'response'].map((name) =>
  jsonBlock({
    open: jsonMarker(`<${name}>`),
    close: [`</${name}>`],
    keys: KEYS,
    doubtful: true,
  }),
)

export const qwen25Tools: Protocol<'qwen25-tools'> = {
  id: 'qwen25-tools',
  emitters: 'some of Qwen 2.5 Coder',
  openers: (tools) => (tools.known ? OPENERS : []),
  strays: [CLOSE],
  ...writing(writeJsonCall(`${OPEN}\n`, `\n${CLOSE}`)),
}
