/** What a stream brings in pieces beside plain text, put together as it would have come whole. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

/** Texts that go on; a text under any other name says the same again. */
const GROWING_KEYS: ReadonlySet<string> = new Set(['text', 'summary', 'data', 'transcript'])

/** Adds the fields of a piece to those that came before. */
export function joinFields(target: JsonObject, piece: JsonObject): void {
  for (const [key, value] of Object.entries(piece)) {
    if (value !== null) target[key] = joinValue(target[key], value, GROWING_KEYS.has(key))
  }
}

/** Lists and objects grow in place: a list may have an entry for each token. */
function joinValue(before: JsonValue | undefined, value: JsonValue, isGrowing: boolean): JsonValue {
  if (Array.isArray(value)) return joinLists(Array.isArray(before) ? before : [], value)
  if (isJsonObject(value)) {
    const joined = isJsonObject(before) ? before : {}
    joinFields(joined, value)
    return joined
  }
  const goesOn = isGrowing && typeof before === 'string' && typeof value === 'string'
  return goesOn ? before + value : value
}

/** Entries of one index are one entry; those without are as many as they are. */
function joinLists(list: JsonValue[], entries: readonly JsonValue[]): JsonValue[] {
  for (const entry of entries) {
    const known = isJsonObject(entry) ? entryAt(list, entry) : undefined
    if (known && isJsonObject(entry)) joinFields(known, entry)
    else list.push(joinValue(undefined, entry, false))
  }
  return list
}

/** How many entries grow at the same time, at the most. */
const WINDOW = 32

function entryAt(list: readonly JsonValue[], { index, type }: JsonObject): JsonObject | undefined {
  if (index === undefined) return undefined
  for (let at = list.length - 1; at >= 0 && at >= list.length - WINDOW; at--) {
    const one = list[at]
    if (isJsonObject(one) && one['index'] === index && one['type'] === type) return one
  }
  return undefined
}

/** Adds a part to a content that came as a list: text goes on, and so does a thought until it is closed. */
export function addPart(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1)
  if (!last || last['type'] !== part['type'] || last['closed'] === true) {
    parts.push({ ...part })
    return
  }
  const { text, thinking, ...fields } = part as Record<string, JsonValue | undefined>
  if (typeof text === 'string') last['text'] = wordsOf(last['text']) + text
  else if (thinking !== undefined) last['thinking'] = joinedThought(last['thinking'], thinking)
  else {
    parts.push({ ...part })
    return
  }
  joinFields(last, fields as JsonObject)
}

function joinedThought(before: JsonValue | undefined, thought: JsonValue): JsonValue {
  const words = wordsOf(before) + wordsOf(thought)
  return typeof thought === 'string' ? words : [{ type: 'text', text: words }]
}

/** The words of a text, or of a list of texts. */
export function wordsOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  return objectsIn(value)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')
}
