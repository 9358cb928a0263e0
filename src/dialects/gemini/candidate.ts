/** Names of fields as Google accepts them, and the one answer of a reply that counts. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

/** The same object with names in camel case: the API takes `snake_case` as well. Not its members. */
export function camelKeys(object: JsonObject): JsonObject {
  if (!hasSnakeKey(object)) return object
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [camelKey(key), value]))
}

function hasSnakeKey(object: JsonObject): boolean {
  // All objects of a stream come through here; making a list of the names would cost twice as much.
  for (const key in object) if (key.includes('_')) return true
  return false
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
  return objectsIn(content?.['parts']).map((given) => {
    const part = camelKeys(given)
    if (!hasNested(part)) return part
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, nested(key, value)]))
  })
}

function hasNested(part: JsonObject): boolean {
  for (const key in part) if (NESTED.has(key)) return true
  return false
}

function nested(key: string, value: JsonValue): JsonValue {
  return NESTED.has(key) && isJsonObject(value) ? camelKeys(value) : value
}
