/** What messages say, in the one way that all dialects read it back. */
import type { HistoryRules } from '../../core/dialect.ts'
import type { Issue } from '../../core/issue.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Message, Part, ToolCall } from '../../core/model.ts'
import { isMarked } from '../cache-marks.ts'

type Report = ((issue: Issue) => void) | undefined
type Content = string | readonly Part[]

/** Half characters, which are no valid JSON, and NUL are replaced, and so are roles that nobody knows. */
export function plainMessages(
  messages: readonly Message[],
  rules: HistoryRules,
  report?: Report,
): Message[] {
  return messages.map((message) => {
    const { toolCalls, reasoning } = message
    return {
      ...withContents(withKnownRole(message, rules, report), wholeContent),
      ...(toolCalls && { toolCalls: toolCalls.map(plainCall) }),
      ...(reasoning !== undefined && { reasoning: whole(reasoning) }),
    }
  })
}

/** Without empty texts, and with one text as a text: that is how every dialect reads it back. */
export function oneTexts(messages: readonly Message[]): Message[] {
  return messages.map((message) => withContents(message, oneText))
}

function withContents(message: Message, change: (content: Content) => Content): Message {
  const { content, toolResults } = message
  return {
    ...message,
    content: change(content),
    ...(toolResults && {
      toolResults: toolResults.map((result) => ({ ...result, content: change(result.content) })),
    }),
  }
}

function oneText(content: Content): Content {
  if (typeof content === 'string') return content
  const said = content.filter((part) => part.type !== 'text' || part.text.trim() !== '')
  const [first, ...others] = said
  if (!first) return ''
  return isPlainText(first) && others.length === 0 ? first.text : said
}

/** A text with a mark on it is a part. */
function isPlainText(part: Part): part is Extract<Part, { type: 'text' }> {
  return part.type === 'text' && !isMarked(part)
}

function wholeContent(content: Content): Content {
  if (typeof content === 'string') return whole(content)
  return content.map((part) => (part.type === 'text' ? { ...part, text: whole(part.text) } : part))
}

const HALF_CHARACTER = /\p{Surrogate}/gu

function whole(text: string): string {
  return text.replace(HALF_CHARACTER, '\ufffd').replaceAll('\0', '\ufffd')
}

/** JSON text has both as escapes. */
const HALF_ESCAPE = /\\u(?:d[89a-f]|0000)/i

function plainCall(call: ToolCall): ToolCall {
  const text = JSON.stringify(call.arguments)
  if (!HALF_ESCAPE.test(text)) return call
  const { rawArguments: _, ...rest } = call
  // The value of an object is one again.
  return { ...rest, arguments: wholeValue(call.arguments) as JsonObject }
}

function wholeValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return whole(value)
  if (Array.isArray(value)) return value.map(wholeValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [whole(key), wholeValue(member)]),
  )
}

/** Roles of some service's own become the role that they were read as. */
function withKnownRole(message: Message, { roles }: HistoryRules, report: Report): Message {
  const { extra = {} } = message
  if (!roles || !Object.values(extra).some((own) => isUnknown(own, roles))) return message
  report?.({
    code: 'moved-message',
    message: `a role that the dialect does not know became ${message.role}`,
    level: 'info',
  })
  const known = Object.entries(extra).map(([id, own]) => {
    const { role: _, ...rest } = own
    return [id, isUnknown(own, roles) ? rest : own] as const
  })
  return { ...message, extra: Object.fromEntries(known) }
}

function isUnknown({ role }: Partial<JsonObject>, roles: readonly string[]): boolean {
  return typeof role === 'string' && !roles.includes(role)
}

/** True when a list of parts, or a text, says nothing. */
export function isSilent(content: Content): boolean {
  if (typeof content === 'string') return content.trim() === ''
  return content.every((part) => part.type === 'text' && part.text.trim() === '')
}
