/** A body of Anthropic's dialect for models that take no system messages in the conversation. */
import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { chatTalk, fitSystemMessages } from '../history/wire-talk.ts'
import { takesSystemLater } from './claude-version.ts'
import { textBlock } from './content.ts'

export function fitRequest(body: JsonObject, { quirks = {}, report }: EncodeOptions): JsonObject {
  const usual = takesSystemLater(String(body['model'])) ? 'anywhere' : 'first'
  const { systemMessages = usual } = quirks
  if (systemMessages === 'anywhere') return body
  return fitSystemMessages(withSystem(body), 'messages', report)
}

/** System messages before all others belong in the field for them. */
function withSystem(body: JsonObject): JsonObject {
  const { system, messages } = body as Record<string, JsonValue | undefined>
  if (!Array.isArray(messages)) return body
  const first = messages.findIndex((message) => chatTalk.speakerOf(message) !== 'system')
  const end = first === -1 ? messages.length : first
  if (end === 0) return body
  const blocks = [system, ...messages.slice(0, end).map(contentOf)].flatMap(blocksOf)
  return { ...body, system: blocks, messages: messages.slice(end) }
}

function contentOf(message: JsonValue): JsonValue | undefined {
  return isJsonObject(message) ? message['content'] : undefined
}

function blocksOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(content)) return content
  return typeof content === 'string' && content !== '' ? [textBlock(content)] : []
}
