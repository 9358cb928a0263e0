/** Content in Mistral's form: text, or a list of chunks. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Message, Part } from '../../core/model.ts'
import { objectsIn } from '../history-call.ts'
import {
  encodePart as encodeOpenaiPart,
  partUrl,
  readPart,
  readUrl,
} from '../openai-chat/content.ts'

export function encodeContent(content: Message['content']): string | JsonObject[] {
  return typeof content === 'string' ? content : content.map(encodePart)
}

export function encodePart(part: Part): JsonObject {
  if (part.type !== 'file') return encodeOpenaiPart(part)
  const { name } = part
  return {
    type: 'document_url',
    document_url: partUrl(part),
    ...(name !== undefined && { document_name: name }),
  }
}

/** Chunks that the neutral model does not know are left out; the message keeps them as they came. */
export function decodeContent(content: JsonValue | undefined): string | Part[] {
  if (typeof content === 'string') return content
  const parts = objectsIn(content).flatMap(decodePart)
  const [only] = parts
  if (parts.length === 1 && only?.type === 'text') return only.text
  return parts.length === 0 ? '' : parts
}

function decodePart(part: JsonObject): Part[] {
  const { type, document_url: url, document_name: name } = part as Record<string, JsonValue>
  if (type !== 'document_url' || typeof url !== 'string') return readPart(part)
  return [{ type: 'file', ...readUrl(url), ...(typeof name === 'string' && { name }) }]
}

export function thinkingChunk(text: string): JsonObject {
  return { type: 'thinking', thinking: [{ type: 'text', text }] }
}
