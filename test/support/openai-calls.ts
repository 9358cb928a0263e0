/** The calls of a stream as the client of OpenAI puts them together: by index, and nothing else. */
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import { objectsIn } from '../../src/dialects/history-call.ts'

export interface JoinedCall {
  id: string
  name: string
  arguments: string
}

export function openaiCalls(chunks: readonly JsonObject[]): JoinedCall[] {
  const calls = new Map<unknown, JoinedCall>()
  const deltas = chunks.flatMap((chunk) => objectsIn(chunk['choices'])).map(({ delta }) => delta)
  for (const delta of deltas.filter((one) => one !== undefined).filter(isJsonObject)) {
    for (const { index, id, function: part } of objectsIn(delta['tool_calls'])) {
      const call = calls.get(index) ?? { id: '', name: '', arguments: '' }
      calls.set(index, call)
      const fields = part !== undefined && isJsonObject(part) ? part : {}
      if (typeof id === 'string') call.id = id
      if (typeof fields['name'] === 'string') call.name = fields['name']
      if (typeof fields['arguments'] === 'string') call.arguments += fields['arguments']
    }
  }
  return [...calls.values()]
}
