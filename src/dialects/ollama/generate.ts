/** `/api/generate` of Ollama: its chat with one prompt instead of messages, and `response` instead of a message. */
import type { Dialect, Frame } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { ollama } from '../ollama.ts'

/** For servers; requests of clients are written by nobody. */
export const ollamaGenerate: Dialect = {
  ...ollama,
  decodeRequest: (body, options) =>
    ollama.decodeRequest(isJsonObject(body) ? promptAsChat(body) : body, options),
  encodeResponse: (response, options) => asGenerated(ollama.encodeResponse(response, options)),
  createStreamEncoder(options) {
    const encoder = ollama.createStreamEncoder(options)
    return { ...encoder, push: (event) => encoder.push(event).map(generatedFrame) }
  },
}

export function promptAsChat({ prompt, system, images, ...rest }: JsonObject): JsonObject {
  const user = { role: 'user', content: prompt ?? '', ...(images !== undefined && { images }) }
  const messages = system === undefined ? [user] : [{ role: 'system', content: system }, user]
  return { ...rest, messages }
}

export function asGenerated({ message, ...rest }: JsonObject): JsonObject {
  const { content = '', thinking } = isJsonObject(message) ? message : {}
  return { ...rest, response: content, ...(thinking !== undefined && { thinking }) }
}

export function generatedFrame(frame: Frame): Frame {
  const data = parseStrict(frame.data)
  const isReply = isJsonObject(data) && 'message' in data
  return isReply ? { ...frame, data: JSON.stringify(asGenerated(data)) } : frame
}
