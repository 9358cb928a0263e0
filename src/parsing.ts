/**
 * The core's readers as the package offers them: what a caller passes by mistake is told. The core goes
 * without, because its own callers make none and every byte of it is in every bundle.
 */
import { type ParsedArguments, parseArguments as readArguments } from './core/arguments/parse.ts'
import { checkText, refused } from './core/caller-input.ts'
import { checkKeys, type OptionKeys } from './core/check-options.ts'
import { InvalidInputError } from './core/errors.ts'
import {
  type RepairedJson,
  type RepairJsonOptions,
  repairJson as readBrokenJson,
} from './core/json/repair.ts'
import { isJsonObject } from './core/json/value.ts'
import type { JsonSchema } from './core/model.ts'
import { type Coercion, coerce as fitTo } from './core/schema/coerce.ts'
import { isStandardSchema } from './core/standard-schema.ts'
import { checkWords } from './extract-options.ts'

/**
 * The arguments that a text spells. No text makes it throw; the result is always a plain object.
 *
 * @throws InvalidInputError when there is no text, or the schema is none.
 */
export function parseArguments(text: string, schema?: JsonSchema): ParsedArguments {
  checkText('arguments', text, 'text; what is an object already is for coerce')
  if (schema !== undefined) checkSchema(schema)
  return readArguments(text, schema)
}

/**
 * Reads JSON, repairing what models get wrong. No text makes it throw.
 *
 * @example
 * repairJson("{city: 'Oslo',}").value // { city: 'Oslo' }
 *
 * @throws InvalidInputError when there is no text, or an option cannot be meant.
 */
export function repairJson(text: string, options: RepairJsonOptions = {}): RepairedJson {
  checkText('JSON to repair', text, 'text; what was parsed already needs no repair')
  checkRepairOptions(options)
  return readBrokenJson(text, options)
}

/**
 * The value in the types of the schema, with everything that was changed and everything that could
 * not be.
 *
 * @example
 * coerce({ limit: '5' }, { properties: { limit: { type: 'integer' } } }).value // { limit: 5 }
 *
 * @throws InvalidInputError when the schema is none.
 */
export function coerce(value: unknown, schema: JsonSchema): Coercion {
  checkSchema(schema)
  return fitTo(value, schema)
}

const REPAIR_KEYS: OptionKeys<RepairJsonOptions> = { schema: 0, partial: 0, repair: 0, maxDepth: 0 }

function checkRepairOptions(options: RepairJsonOptions): void {
  checkKeys('repairJson', options, REPAIR_KEYS, '{ schema }')
  const { repair, schema }: RepairJsonOptions = options
  checkWords({ repair })
  if (schema !== undefined) checkSchema(schema)
}

function checkSchema(schema: unknown): void {
  // The inner fields of a schema library say nothing to us: every value would pass as it is.
  if (isStandardSchema(schema)) {
    throw new InvalidInputError(`a schema cannot be one of a library; ${CONVERT}`)
  }
  if (!isJsonObject(schema) && typeof schema !== 'boolean') {
    throw refused('a schema', schema, 'JSON Schema')
  }
}

const CONVERT = "tool({ name: '…', inputSchema: schema }).inputSchema converts it"
