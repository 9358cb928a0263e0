/** Names of fields as Google accepts them, and the one answer of a reply that counts. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

/** The same object with names in camel case: the API takes `snake_case` as well. Not its members. */
export function camelKeys(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
  if (!entries.some(([key]) => key.includes('_'))) return object
  return Object.fromEntries(entries.map(([key, value]) => [camelKey(key), value]))
}

function camelKey(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The member of that name, when it is an object. */
export function objectAt(owner: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = owner?.[key]
  return isJsonObject(value) ? camelKeys(value) : undefined
}

/** The first answer; others are alternatives to it. */
export function candidateOf(body: JsonObject): JsonObject | undefined {
  const candidates = objectsIn(body['candidates'])
  const first = candidates.find(({ index }) => index === undefined || index === 0) ?? candidates[0]
  return first && camelKeys(first)
}

const NESTED: ReadonlySet<string> = new Set([
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
])

/** The parts of a turn, named alike whatever the client writes. */
export function partsOf(content: JsonObject | undefined): JsonObject[] {
  return objectsIn(content?.['parts']).map((part) => {
    const entries = Object.entries(camelKeys(part))
    return Object.fromEntries(entries.map(([key, value]) => [key, nested(key, value)]))
  })
}

function nested(key: string, value: JsonValue): JsonValue {
  return NESTED.has(key) && isJsonObject(value) ? camelKeys(value) : value
}
