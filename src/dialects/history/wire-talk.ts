/** Messages of wire formats that have a role, and content that is text or a list of parts. */
import type { Issue } from '../../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { foldSystemMessages, systemParts, systemText, type Talk } from './system-messages.ts'

/**
 * A body whose list of messages has one system message at most, before all others; the body itself when that is so
 * already.
 */
export function fitSystemMessages(
  body: JsonObject,
  field: string,
  report?: ((issue: Issue) => void) | undefined,
  talk: Talk<JsonValue> = chatTalk,
): JsonObject {
  const messages = body[field]
  if (!Array.isArray(messages)) return body
  const isFit = messages.every((message, at) => at === 0 || talk.speakerOf(message) !== 'system')
  return isFit ? body : { ...body, [field]: foldSystemMessages(messages, talk, report) }
}

/** The form of OpenAI's chat dialect, which Ollama's and Anthropic's messages share. */
export const chatTalk: Talk<JsonValue> = wireTalk('text')

export function wireTalk(textType: string): Talk<JsonValue> {
  const textPart = (text: string): JsonObject => ({ type: textType, text })

  function partsOf(content: JsonValue | undefined): readonly JsonValue[] {
    if (Array.isArray(content)) return content
    return typeof content === 'string' && content !== '' ? [textPart(content)] : []
  }

  /** Texts stay one text as long as nothing else is among them. */
  function joinedContent(messages: readonly JsonValue[]): JsonValue {
    const contents = messages.map((message) => (isJsonObject(message) ? message['content'] : ''))
    if (contents.some(Array.isArray)) return contents.flatMap(partsOf)
    return contents.filter((content) => typeof content === 'string' && content !== '').join('\n\n')
  }

  return {
    speakerOf,
    merge: (messages) => [{ role: 'system', content: joinedContent(messages) }],
    lower(message) {
      const content = isJsonObject(message) ? message['content'] : undefined
      const text = typeof content === 'string' ? content : ''
      const isList = Array.isArray(content)
      return {
        role: 'user',
        content: isList ? systemParts<JsonValue>(content, textPart) : systemText(text),
      }
    },
    // A message with fields of its own, such as a name or images, stays apart.
    isFixed: (message) =>
      isJsonObject(message) && Object.keys(message).some((key) => !PLAIN.has(key)),
    join: (messages) => ({ role: 'user', content: joinedContent(messages) }),
  }
}

const PLAIN: ReadonlySet<string> = new Set(['role', 'content', 'type'])
const SYSTEM: ReadonlySet<JsonValue | undefined> = new Set(['system', 'developer'])

function speakerOf(message: JsonValue): 'system' | 'user' | undefined {
  if (!isJsonObject(message)) return undefined
  const { role } = message
  return SYSTEM.has(role) ? 'system' : role === 'user' ? 'user' : undefined
}
