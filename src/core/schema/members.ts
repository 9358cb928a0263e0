/** The members of an `enum`, found without a look at each: lists and values may both be long. */
import { isJsonObject, type JsonValue } from '../json/value.ts'
import { remembering } from '../remember.ts'
import { canonicalText, countValues } from './json-text.ts'
import { foldName } from './spelling.ts'

export interface Members {
  has(value: JsonValue): boolean
  /** Those that spell the text, but for case and for how words are set apart. */
  like(text: string): readonly JsonValue[]
}

/** The index of a list, which must not change. */
export const membersOf: (members: readonly JsonValue[]) => Members = remembering((members) => {
  const plain = new Set(members.filter((member) => !isNested(member)))
  const nested = members.filter(isNested)
  const mostValues = nested.reduce<number>((most, one) => Math.max(most, countValues(one)), 0)
  const texts = new Set(nested.map((one) => canonicalText(one)))
  let bySpelling: ReadonlyMap<string, readonly JsonValue[]> | undefined

  return {
    has(value) {
      if (!isNested(value)) return plain.has(value)
      const text = texts.size === 0 ? undefined : canonicalText(value, mostValues)
      return text !== undefined && texts.has(text)
    },
    like(text) {
      bySpelling ??= groupBySpelling(members)
      return bySpelling.get(foldName(text)) ?? []
    },
  }
})

function isNested(value: JsonValue): boolean {
  return Array.isArray(value) || isJsonObject(value)
}

function groupBySpelling(members: readonly JsonValue[]): Map<string, JsonValue[]> {
  const groups = new Map<string, JsonValue[]>()
  for (const member of members) {
    if (typeof member !== 'string') continue
    const folded = foldName(member)
    const group = groups.get(folded)
    if (group) group.push(member)
    else groups.set(folded, [member])
  }
  return groups
}
