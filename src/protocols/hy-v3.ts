/**
 * Hunyuan 3: a section of calls, each with its name before a separator.
 *
 *     <tool_calls>
 *     <tool_call>get_weather<tool_sep>
 *     <arg_key>city</arg_key>
 *     <arg_value>Oslo</arg_value>
 *     </tool_call>
 *     </tool_calls>
 *
 * Every tag may carry the same suffix, as in `<tool_sep:x>`.
 *
 * @see https://huggingface.co/tencent
 */
import type { Protocol } from '../core/protocol.ts'
import {
  either,
  literally,
  oneOf,
  optional,
  patternReader,
  sequence,
} from '../core/text/pattern.ts'
import { xmlMarks } from '../core/text/tag.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'
import { KEYED_TAGS, keyedLayout, SPELLED_BREAK } from './families/keyed-tags.ts'

const SUFFIX = sequence(':', '[^\\s<>]{1,40}')

const SPEC: TaggedCallSpec = {
  ...KEYED_TAGS,
  sections: ['tool_calls'],
  separator: oneOf(SPELLED_BREAK, sequence(literally('<tool_sep'), optional(SUFFIX), '>')),
  untyped: 'json',
  marks: xmlMarks('', optional(SUFFIX)),
}

const SECTION = ['<tool_calls>\n<tool_call>', '</tool_call>\n</tool_calls>'] as const

const WORDS = ['tool_calls', 'tool_call', 'tool_sep', 'arg_key', 'arg_value']

/** A tag with a suffix is a token of the model's own, wherever it stands. */
const SUFFIXED = patternReader(sequence('<', '\\/?', either(...WORDS), SUFFIX, '>'))

export const hyV3: Protocol<'hy-v3'> = {
  id: 'hy-v3',
  emitters: 'HY-V3, HY3, Hunyuan 3',
  // An empty section has the same tags in both.
  before: ['qwen3-coder'],
  ...taggedProtocol(SPEC, keyedLayout('\n', ...SECTION, '<tool_sep>')),
  tokens: [{ prefix: ['<', '/ta', 'taor', 'org', 'ogl_'], match: SUFFIXED.match }],
}
