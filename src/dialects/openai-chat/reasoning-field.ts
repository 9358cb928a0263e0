/**
 * The field of an assistant message that holds its reasoning. Servers have different ones, some refuse those that
 * they do not know, and OpenAI has none.
 */
import type { ReasoningField } from '../../core/dialect.ts'
import type { Issue } from '../../core/issue.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

/** Those that hold text. */
export const REASONING_KEYS = ['reasoning_content', 'reasoning'] as const
const DETAILS = 'reasoning_details'

export const REASONING_FIELDS: readonly ReasoningField[] = [...REASONING_KEYS, DETAILS]

export const REASONING_LEFT_OUT: Issue = {
  code: 'lost-field',
  message: 'the service takes no reasoning of earlier turns: `reasoning` was left out',
  fields: ['reasoning'],
}

export function hasReasoning(message: JsonObject): boolean {
  return REASONING_FIELDS.some((field) => message[field] !== undefined)
}

export function withoutReasoning(message: JsonObject): JsonObject {
  if (!hasReasoning(message)) return message
  const { reasoning_content: _, reasoning: __, reasoning_details: ___, ...rest } = message
  return rest
}

/** The message with its reasoning in this field and in no other; the message itself when that is so. */
export function reasoningAs(message: JsonObject, field: ReasoningField): JsonObject {
  const found = REASONING_FIELDS.filter((one) => message[one] !== undefined)
  if (found.length === 0 || (found.length === 1 && found[0] === field)) return message
  const rest = withoutReasoning(message)
  const own = message[field]
  if (own !== undefined && own !== null) return { ...rest, [field]: own }
  const thought = thoughtIn(message)
  if (thought === undefined) return rest
  const isList = field === DETAILS
  return { ...rest, [field]: isList ? [{ type: 'reasoning.text', text: thought }] : thought }
}

function thoughtIn(message: JsonObject): string | undefined {
  const text = REASONING_KEYS.map((key) => message[key]).find((one) => typeof one === 'string')
  if (typeof text === 'string') return text
  const texts = objectsIn(message[DETAILS])
    .map(textOf)
    .filter((one) => typeof one === 'string')
  return texts.length > 0 ? texts.join('') : undefined
}

function textOf({ text, summary }: Partial<JsonObject>): JsonValue | undefined {
  return text ?? summary
}

/** The field in which a message of a reply, or a part of one, has reasoning. */
export function reasoningFieldOf(message: JsonObject): ReasoningField | undefined {
  const { reasoning_content: content, reasoning } = message as Record<string, JsonValue | undefined>
  // A message with details has their text in another field as well.
  if (objectsIn(message[DETAILS]).length > 0) return DETAILS
  if (typeof content === 'string' && content !== '') return 'reasoning_content'
  return typeof reasoning === 'string' && reasoning !== '' ? 'reasoning' : undefined
}
