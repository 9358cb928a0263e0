/** A body of Ollama's dialect as the templates of its models take it. */
import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { fitSystemMessages } from '../history/wire-talk.ts'

export function fitRequest(body: JsonObject, { quirks = {}, report }: EncodeOptions): JsonObject {
  const { systemMessages, reasoningField } = quirks
  const plain = reasoningField === false ? withoutThinking(body) : body
  return systemMessages === 'first' ? fitSystemMessages(plain, 'messages', report) : plain
}

function withoutThinking(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const isThought = (message: unknown): message is JsonObject =>
    isJsonObject(message) && 'thinking' in message
  if (!messages.some(isThought)) return body
  const plain = messages.map((message) => {
    if (!isThought(message)) return message
    const { thinking: _, ...rest } = message
    return rest
  })
  return { ...body, messages: plain }
}
