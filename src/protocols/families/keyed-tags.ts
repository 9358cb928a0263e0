/** Calls with the name behind a tag, and keys and values in tags of their own. */
import type { TaggedCallSpec } from '../../core/text/tagged-spec.ts'
import type { TaggedLayout } from '../../core/text/tagged-writing.ts'

/** A line break that is spelled. */
export const SPELLED_BREAK = '\\\\(?:$|n)'

export const KEYED_TAGS: TaggedCallSpec = {
  sections: [],
  calls: ['tool_call'],
  keys: ['arg_key'],
  parameters: ['arg_value'],
  separator: SPELLED_BREAK,
  trim: 'none',
}

/** `open` stands before the name, `line` before each tag, `close` behind the last. */
export function keyedLayout(
  line: string,
  open = '<tool_call>',
  close = '</tool_call>',
  separator = '',
): TaggedLayout {
  return {
    parameter: (key, text) =>
      `${line}<arg_key>${key}</arg_key>${line}<arg_value>${text}</arg_value>`,
    call: (name, pairs) => open + name + separator + pairs.join('') + line + close,
  }
}
