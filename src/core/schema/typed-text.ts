/**
 * Types for formats whose parameters arrive as raw text, such as `<parameter=limit>5</parameter>`.
 *
 * - No schema, or one that allows everything: the text stays text.
 * - A schema without free text: the text becomes what the schema asks for, as {@link coerce} does it.
 * - A schema that allows text and something else: the text stays, unless it is the exact JSON of
 *   another allowed type: `null`, `true`, `false`, a number as JSON would write it (`5` and `1.5`,
 *   not `007` or `1.0`), or a JSON object or array that fits.
 *
 * Whitespace around the text is the caller's matter.
 */
import type { JsonPath } from '../issue.ts'
import { parseStrict } from '../json/strict.ts'
import type { JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { type Coercion, coerceAt } from './coerce.ts'
import { acceptedTypes, alternativesOf, isOfType, propertySchema, typeOf } from './resolve.ts'

/** The value that raw text stands for under a schema of its own. */
export function typeText(raw: string, schema: JsonSchema | undefined): Coercion {
  return typeAt(raw, schema ?? true, schema ?? true, [])
}

/** The value that raw text stands for as a property of a tool's arguments. */
export function typeProperty(key: string, raw: string, schema: JsonSchema): Coercion {
  return typeAt(raw, propertySchema(schema, key) ?? true, schema, [key])
}

/** True when the schema has nothing to say about the type of a value. */
export function isUntyped(schema: JsonSchema, root: JsonSchema = schema): boolean {
  return alternativesOf(schema, root).some(({ type, members }) => type === 'any' && !members)
}

/** {@link typeText} for a value inside a document: `root` is where references lead. */
export function typeAt(
  raw: string,
  schema: JsonSchema,
  root: JsonSchema,
  path: JsonPath,
): Coercion {
  if (isUntyped(schema, root)) return asIs(raw)
  const alternatives = alternativesOf(schema, root)
  const literal = parseStrict(raw)
  if (alternatives.some(({ type, members }) => type === 'string' && !members)) {
    return asIs(fitsBeside(raw, literal, schema, root) ? literal : raw)
  }
  // Also what text could not be converted to, such as an integer with an exponent.
  if (fitsBeside(raw, literal, schema, root)) return asIs(literal)
  return withoutTyping(coerceAt(raw, schema, root, path), literal, path)
}

function asIs(value: JsonValue): Coercion {
  return { value, repairs: [], issues: [] }
}

/** True when the text is the exact JSON of something other than text that the schema allows. */
function fitsBeside(
  raw: string,
  literal: JsonValue | undefined,
  schema: JsonSchema,
  root: JsonSchema,
): literal is JsonValue {
  const type = typeOf(literal)
  if (literal === undefined || type === undefined || type === 'string') return false
  if (typeof literal === 'number' && String(literal) !== raw) return false
  if (![...acceptedTypes(schema, root)].some((wanted) => isOfType(type, wanted))) return false
  const { repairs, issues } = coerceAt(literal, schema, root, [])
  return repairs.length === 0 && issues.length === 0
}

// Where everything arrives as text, giving it a type is reading and not repairing. What remains is
// said of text that is not the JSON of its value, such as `True`.
function withoutTyping(
  coercion: Coercion,
  literal: JsonValue | undefined,
  path: JsonPath,
): Coercion {
  const type = typeOf(literal)
  if (type === undefined || type === 'string' || type !== typeOf(coercion.value)) return coercion
  const repairs = coercion.repairs.filter((repair) => repair.path.length > path.length)
  return { ...coercion, repairs }
}
