/** Lists of allowed values: Gemini has them for text, and for numbers written as text. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'

export function lowerEnum(
  schema: JsonObject,
  type: string,
  tell: (loss: string) => void,
): JsonObject {
  const { enum: listed, const: only } = schema as Record<string, JsonValue | undefined>
  const members = Array.isArray(listed) ? listed : only === undefined ? undefined : [only]
  if (!members) return {}
  const nullable = members.includes(null) ? { nullable: true } : {}
  const values = members.filter((value) => value !== null && value !== '')
  if (members.includes('')) tell('the empty text is no allowed value any more')
  if (type === 'string') return { ...nullable, ...textEnum(values, 'type' in schema) }
  if (type === 'integer' || type === 'number') return { ...nullable, ...numberEnum(values, tell) }
  // True and false are all that there is.
  if (type !== 'boolean' || values.length < 2) tell('the list of allowed values is left out')
  return nullable
}

/** Where the type is given, other values could never fit; where it is not, they become text. */
function textEnum(values: readonly JsonValue[], isTyped: boolean): JsonObject {
  const fitting = isTyped ? values.filter((value) => typeof value === 'string') : values
  const texts = fitting.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return texts.length > 0 ? { enum: [...new Set(texts)] } : {}
}

function numberEnum(values: readonly JsonValue[], tell: (loss: string) => void): JsonObject {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length === 0) return {}
  tell('allowed numbers are written as text')
  return { format: 'enum', enum: [...new Set(numbers.map(String))] }
}
