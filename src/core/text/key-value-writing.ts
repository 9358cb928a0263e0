/** Writes calls as keys and values in tags, so that no value can be taken for markup. */

import type { JsonValue } from '../json/value.ts'
import { writeJson } from '../json/write.ts'
import type { Protocol } from '../protocol.ts'
import { holdsTag } from './key-value-tag.ts'

/** `open` stands before the name, `line` before each tag, `close` behind the last. */
export function writeKeyValues(
  open: string,
  line: string,
  close: string,
  separator = '',
): Protocol['formatCall'] {
  return ({ name, arguments: args }) => {
    const pairs = Object.entries(args).map(
      ([key, value]) =>
        `${line}<arg_key>${key}</arg_key>${line}<arg_value>${writeValue(value)}</arg_value>`,
    )
    return open + name + separator + pairs.join('') + line + close
  }
}

function writeValue(value: JsonValue): string {
  if (typeof value === 'string')
    return holdsTag(value) || value.startsWith('<![') ? asCdata(value) : value
  const json = writeJson(value)
  return holdsTag(json) ? json.replaceAll('<', '\\u003c') : json
}

function asCdata(text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}
