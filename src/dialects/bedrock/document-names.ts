/** Documents need names that differ within a request. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

/** The messages with a number behind each name of a document that was there before. */
export function numberDocuments(messages: readonly JsonObject[]): JsonObject[] {
  const taken = new Set<JsonValue>()
  /** Up to where the numbers of a name are taken. */
  const counts = new Map<JsonValue, number>()

  function rename(block: JsonObject): JsonObject {
    const { document, toolResult } = block as Record<string, JsonValue | undefined>
    if (isJsonObject(document)) return { document: { ...document, name: unused(document['name']) } }
    if (!isJsonObject(toolResult)) return block
    const content = objectsIn(toolResult['content']).map(rename)
    return { ...block, toolResult: { ...toolResult, content } }
  }

  function unused(name: JsonValue = 'document'): JsonValue {
    let free = name
    let count = counts.get(name) ?? 2
    for (; taken.has(free); count++) free = `${String(name)} ${count}`
    counts.set(name, count)
    taken.add(free)
    return free
  }

  return messages.map((message) => ({
    ...message,
    content: objectsIn(message['content']).map(rename),
  }))
}
