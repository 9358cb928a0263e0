/**
 * Types for formats whose parameters arrive as raw text, such as `<parameter=limit>5</parameter>`.
 *
 * - No schema, or one that allows everything: the text stays text.
 * - A schema without free text: the text becomes what the schema asks for, as {@link coerce} does it. Where
 *   it cannot, `null` is null: whoever writes it for a number means no text.
 * - A schema that allows text and something else: the text stays, unless it is the exact JSON of
 *   another allowed type: `null`, `true`, `false`, a number as JSON would write it (`5` and `1.5`,
 *   not `007` or `1.0`), or a JSON object or array that fits.
 *
 * Whitespace around the text is the caller's matter.
 */
import type { JsonPath } from '../issue.ts'
import { parseStrict } from '../json/strict.ts'
import type { JsonSchema } from '../model.ts'
import { type Coercion, coerceAt } from './coerce.ts'
import { alternativesOf, typeOf } from './resolve.ts'

/** True when the schema has nothing to say about the type of a value. */
export function isUntyped(schema: JsonSchema, root: JsonSchema = schema): boolean {
  return alternativesOf(schema, root).some(({ type, members }) => type === 'any' && !members)
}

/** The value that raw text stands for; `root` is where references lead. */
export function typeText(
  raw: string,
  schema: JsonSchema,
  root: JsonSchema = schema,
  path: JsonPath = [],
): Coercion {
  const asText = { value: raw, repairs: [], issues: [] }
  if (isUntyped(schema, root)) return asText
  const literal = parseStrict(raw)
  const isExact = typeof literal !== 'number' || String(literal) === raw
  const spelled = literal !== undefined && isExact && coerceAt(literal, schema, root, path)
  if (spelled && typeof literal !== 'string') {
    if (spelled.repairs.length + spelled.issues.length === 0) return spelled
  }
  const alternatives = alternativesOf(schema, root)
  if (alternatives.some(({ type, members }) => type === 'string' && !members)) return asText
  const read = coerceAt(raw, schema, root, path)
  // Quotation marks around a value that is wanted without them, JSON for a list of one, or no value.
  const isMeant = spelled && (literal === null || spelled.issues.length === 0)
  if (isMeant && (read.issues.length > 0 || Array.isArray(read.value))) return spelled
  // Where everything arrives as text, giving it a type is reading and not repairing. What remains
  // is said of text that is not the JSON of its value, such as `True`.
  if (typeOf(literal) !== typeOf(read.value)) return read
  return { ...read, repairs: read.repairs.filter((one) => one.path.length > path.length) }
}
