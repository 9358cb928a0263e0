/** What names the conversation of a question, for chains that keep conversations at one provider. */
import { CONVERSATION_LENGTH } from '../client/fallback/conversation.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { Question } from './question.ts'

/**
 * What the client itself says (OpenAI's `prompt_cache_key`, Anthropic's `metadata.user_id`, in which Claude Code
 * has its session), or the first words of the user, which every later request repeats. Instructions before them
 * may differ from request to request.
 */
export function conversationOf({ body, endpoint }: Question): string | undefined {
  return namedIn(body) ?? beginningOf(body[endpoint.dialect.rules.field])
}

function namedIn({ prompt_cache_key: key, metadata }: JsonObject): string | undefined {
  const name = key ?? (isJsonObject(metadata) ? metadata['user_id'] : undefined)
  return typeof name === 'string' && name !== '' ? name.slice(0, CONVERSATION_LENGTH) : undefined
}

function beginningOf(history: JsonValue | undefined): string | undefined {
  const first = Array.isArray(history) ? history.find(isUsers) : history
  const text = first === undefined ? '' : textIn(first)
  return text === '' ? undefined : text.slice(0, CONVERSATION_LENGTH)
}

function isUsers(message: JsonValue): boolean {
  return isJsonObject(message) && (message['role'] ?? 'user') === 'user'
}

/** Text alone: marks for the cache move on from turn to turn. Messages have their text at most three levels down. */
function textIn(value: JsonValue | undefined, levels = 3): string {
  if (typeof value === 'string') return value
  if (levels === 0) return ''
  if (Array.isArray(value)) return value.map((one) => textIn(one, levels - 1)).join('')
  if (!isJsonObject(value)) return ''
  return textIn(value['text'] ?? value['content'] ?? value['parts'], levels - 1)
}
