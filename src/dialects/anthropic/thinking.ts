/** When a request may ask for thinking. */
import type { CodecOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

/**
 * The body without the wish to think, when a turn goes on that began without: such turns come from other
 * models, or lost their signatures, and Anthropic refuses to think in the middle of them.
 */
export function withoutVainThinking<T extends JsonObject>(body: T, { report }: CodecOptions): T {
  const { thinking, messages } = body as Record<string, JsonValue | undefined>
  const isAsked = isJsonObject(thinking) && thinking['type'] === 'enabled'
  if (!isAsked || !goesOnWithoutThought(objectsIn(messages))) return body
  const message = 'a turn that began without thinking goes on without it'
  report?.({ code: 'not-expressible', message })
  const { thinking: _, ...rest } = body
  // Only a field that T does not demand was left out.
  return rest as T
}

/** The last turn waits for results, and one of its messages has calls but no thought before them. */
function goesOnWithoutThought(messages: readonly JsonObject[]): boolean {
  const begin = messages.findLastIndex(
    (message) => message['role'] === 'user' && !has(message, RESULT),
  )
  const open = messages.slice(begin + 1).filter(({ role }) => role === 'assistant')
  return open.some((message) => has(message, CALL) && !has(message, THOUGHT))
}

const RESULT: ReadonlySet<JsonValue | undefined> = new Set(['tool_result'])
const CALL: ReadonlySet<JsonValue | undefined> = new Set(['tool_use'])
const THOUGHT: ReadonlySet<JsonValue | undefined> = new Set(['thinking', 'redacted_thinking'])

function has({ content }: JsonObject, types: ReadonlySet<JsonValue | undefined>): boolean {
  return objectsIn(content).some(({ type }) => types.has(type))
}
