/** The final answer as data: found in the text, brought into its schema, checked. */
import { ToolglotError } from '../core/errors.ts'
import { repairJson } from '../core/json/repair.ts'
import type { JsonValue } from '../core/json/value.ts'
import type { JsonSchema } from '../core/model.ts'
import { coerce } from '../core/schema/coerce.ts'
import { formatViolations, validate } from '../core/schema/validate.ts'
import { isStandardSchema, type StandardSchema } from '../core/standard-schema.ts'
import { asViolation } from './arguments.ts'

export interface OutputOptions {
  /** What the final answer must fit: JSON Schema, or a schema of zod, valibot, arktype. */
  readonly schema: StandardSchema | JsonSchema
  readonly name?: string
  /** How often the model may try again. Default 2. */
  readonly maxRetries?: number
}

export type ParsedOutput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

export const OUTPUT_RETRIES = 2

export function outputSchema({ schema }: OutputOptions): JsonSchema {
  if (!isStandardSchema(schema)) return schema
  const { jsonSchema, vendor } = schema['~standard']
  if (!jsonSchema) {
    throw new ToolglotError(
      'schema_unconvertible',
      `the output schema (${vendor}) cannot be turned into JSON Schema; pass JSON Schema instead`,
    )
  }
  // What the library gives back is JSON Schema, which is JSON.
  return jsonSchema.input({ target: 'draft-2020-12' }) as JsonSchema
}

/** The data in an answer, whatever stands around it. */
export async function parseOutput(text: string, options: OutputOptions): Promise<ParsedOutput> {
  const found = findJson(text)
  if (found === undefined) return { ok: false, reason: 'the answer is not JSON' }
  const schema = outputSchema(options)
  const { value } = coerce(found, schema)
  const violations = validate(value, schema)
  if (violations.length > 0) return { ok: false, reason: formatViolations(violations) }
  return isStandardSchema(options.schema) ? check(options.schema, value) : { ok: true, value }
}

async function check(schema: StandardSchema, value: JsonValue): Promise<ParsedOutput> {
  const checked = await schema['~standard'].validate(value)
  if (!checked.issues) return { ok: true, value: checked.value }
  return { ok: false, reason: formatViolations(checked.issues.map(asViolation)) }
}

function findJson(text: string): JsonValue | undefined {
  const { value, complete } = repairJson(text)
  return complete && typeof value === 'object' && value !== null ? value : undefined
}

export function outputFeedback(reason: string): string {
  return `Your answer does not fit: ${reason}. Answer again with nothing but JSON that fits the schema.`
}
