/** A body of the Responses API as servers of open models take it, which make one conversation of it. */
import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Talk } from '../history/system-messages.ts'
import { fitSystemMessages, wireTalk } from '../history/wire-talk.ts'
import { decodeContent, spokenText } from './content.ts'

const MESSAGES = wireTalk('input_text')

/** Items that are no messages have a type, and no role. */
const talk: Talk<JsonValue> = {
  ...MESSAGES,
  speakerOf: (item) => (isMessage(item) ? MESSAGES.speakerOf(item) : undefined),
}

function isMessage(item: JsonValue): boolean {
  return isJsonObject(item) && (item['type'] ?? 'message') === 'message'
}

export function fitRequest(body: JsonObject, { quirks = {}, report }: EncodeOptions): JsonObject {
  if (quirks.systemMessages !== 'first') return body
  return fitSystemMessages(withInstructions(body), 'input', report, talk)
}

/** System messages at the beginning of the input are part of the instructions. */
function withInstructions(body: JsonObject): JsonObject {
  const { instructions, input } = body as Record<string, JsonValue | undefined>
  if (!Array.isArray(input)) return body
  const first = input.findIndex((item) => talk.speakerOf(item) !== 'system')
  const end = first === -1 ? input.length : first
  const texts = input.slice(0, end).map(textOf)
  if (end === 0 || texts.includes(undefined)) return body
  const given = typeof instructions === 'string' ? [instructions] : []
  const whole = [...given, ...texts].filter((text) => text !== '').join('\n\n')
  return { ...body, instructions: whole, input: input.slice(end) }
}

/** Undefined for what is more than text. */
function textOf(item: JsonValue): string | undefined {
  const content = decodeContent(isJsonObject(item) ? item['content'] : undefined)
  const isText = typeof content === 'string' || content.every(({ type }) => type === 'text')
  return isText ? spokenText(content) : undefined
}
