/**
 * OpenAI's chat dialect as GitHub Copilot speaks it: text and calls of one reply may stand in choices of
 * their own.
 */
import type { Dialect, Frame } from '../core/dialect.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { objectsIn } from '../dialects/history-call.ts'
import { openaiChat } from '../dialects/openai-chat.ts'

export const copilotChat: Dialect<'openai-chat'> = {
  ...openaiChat,
  parseToolCalls: (body, options) => openaiChat.parseToolCalls(withOneChoice(body), options),
  formatAssistantMessage: (body, options) =>
    openaiChat.formatAssistantMessage(withOneChoice(body), options),
  decodeResponse: (body, options) => openaiChat.decodeResponse(withOneChoice(body), options),
  createStreamDecoder(options) {
    const decoder = openaiChat.createStreamDecoder(options)
    return { ...decoder, push: (frame) => decoder.push(withOneIndex(frame)) }
  },
}

function withOneChoice(body: unknown): unknown {
  const choices = isJsonObject(body) ? objectsIn(body['choices']) : []
  const [first, ...others] = choices
  if (!isJsonObject(body) || !first || others.length === 0) return body
  const messages = choices.flatMap(({ message }) => (isJsonObject(message) ? [message] : []))
  const texts = messages.map(({ content }) => content).filter((text) => typeof text === 'string')
  const calls = messages.flatMap(({ tool_calls: made }) => objectsIn(made))
  const message: JsonObject = {
    ...Object.fromEntries(messages.toReversed().flatMap((one) => Object.entries(one))),
    content: texts.length > 0 ? texts.join('') : null,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return { ...body, choices: [{ ...first, message }] }
}

/** Pieces of any choice go on where the others stopped. */
function withOneIndex(frame: Frame): Frame {
  const body = parseStrict(frame.data)
  if (!isJsonObject(body) || objectsIn(body['choices']).every(isFirst)) return frame
  const choices: JsonValue = objectsIn(body['choices']).map((choice) => ({ ...choice, index: 0 }))
  return { ...frame, data: JSON.stringify({ ...body, choices }) }
}

function isFirst({ index = 0 }: Partial<JsonObject>): boolean {
  return index === 0
}
