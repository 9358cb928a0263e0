/** Writes arguments as trees of tags, the way `element-tree.ts` reads them. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { writeJson } from '../../core/json/write.ts'
import { equalJson } from '../../core/schema/equal.ts'
import { parseElement, readTree } from '../../core/text/element-tree.ts'
import { CDATA, inCdata } from '../../core/text/markup-tag.ts'

const MAX_DEPTH = 512
const TAG = 'value'
const TAG_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u

/** One tag for each argument, `lead` before every tag. */
export function writeElements(args: JsonObject, lead: string, separator = ''): string {
  return Object.entries(args)
    .map(([key, value]) => element(key, writeValue(value, lead), lead) + separator)
    .join('')
}

function element(name: string, content: string, lead: string): string {
  return `${lead}<${name}>${content}${lead}</${name}>`
}

/** Tags inside tags where they say the same without a schema; otherwise JSON. */
function writeValue(value: JsonValue, lead: string): string {
  if (typeof value === 'string') return writeText(value, lead)
  const written = value === null ? undefined : writeNested(value, lead)
  if (written !== undefined && equalJson(readBack(written, lead), value)) return written
  return writeText(writeJson(value), lead)
}

function readBack(written: string, lead: string): JsonValue | undefined {
  const syntax = { lead, maxDepth: MAX_DEPTH, repairs: [] }
  return readTree([parseElement(TAG, written, syntax)], undefined, syntax)[TAG]
}

function writeNested(value: JsonValue, lead: string): string | undefined {
  const entries = Array.isArray(value)
    ? value.map((item) => ['item', item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : undefined
  if (!entries) return writeLeaf(typeof value === 'string' ? value : writeJson(value), lead)
  const parts = entries.map(([key, item]) => {
    const content = TAG_NAME.test(key) ? writeNested(item, lead) : undefined
    return content === undefined ? undefined : element(key, content, lead)
  })
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** Text that says itself between two tags; `CDATA` sections are understood in whole arguments only. */
function writeLeaf(text: string, lead: string): string | undefined {
  if (lead === '') return text.replace(/[&<]/g, (one) => (one === '&' ? '&amp;' : '&lt;'))
  return text.includes(lead) || text.trimStart().startsWith(CDATA) ? undefined : text
}

function writeText(text: string, lead: string): string {
  return writeLeaf(text, lead) ?? inCdata(text)
}
