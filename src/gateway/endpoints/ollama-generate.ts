/** `POST /api/generate`: one prompt and no conversation, answered through the same models. */
import type { Frame } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { Endpoint } from './endpoint.ts'
import { keepAliveLine, ollamaEndpoint } from './ollama.ts'

export const ollamaGenerateEndpoint: Endpoint = {
  ...ollamaEndpoint,
  id: 'ollama-generate',
  path: /^\/api\/generate$/,
  read: (body, sight) => ollamaEndpoint.read(asChat(body), sight),
  passes: () => false,
  writeReply: (response, facts) => asGenerated(ollamaEndpoint.writeReply(response, facts)),
  openStream(sight, facts) {
    const stream = ollamaEndpoint.openStream(sight, facts)
    const { encoder } = stream
    return {
      ...stream,
      encoder: { push: (event) => encoder.push(event).map(generatedFrame) },
      keepAlive: keepAliveLine(facts, { response: '' }),
    }
  },
}

function asChat({ prompt, system, images, ...rest }: JsonObject): JsonObject {
  const user = { role: 'user', content: prompt ?? '', ...(images !== undefined && { images }) }
  const messages = system === undefined ? [user] : [{ role: 'system', content: system }, user]
  return { ...rest, messages }
}

function asGenerated({ message, ...rest }: JsonObject): JsonObject {
  const { content = '', thinking } = isJsonObject(message) ? message : {}
  return { ...rest, response: content, ...(thinking !== undefined && { thinking }) }
}

function generatedFrame(frame: Frame): Frame {
  const data = parseStrict(frame.data)
  const isReply = isJsonObject(data) && 'message' in data
  return isReply ? { ...frame, data: JSON.stringify(asGenerated(data)) } : frame
}
