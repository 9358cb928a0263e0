/** Arguments that a text spells in JSON and nothing else, with the slips that models make. */
import type { Repair } from '../issue.ts'
import { readJson } from '../json/read.ts'
import { parseStrict } from '../json/strict.ts'
import { isJsonObject, type JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import type { Fit, RepairLevel } from '../options.ts'

export interface JsonArgumentsOptions {
  readonly repair: RepairLevel
  readonly schema?: JsonSchema | undefined
  /** Says where the schema wants text. */
  readonly fit?: Pick<Fit, 'fit'> | undefined
}

export interface JsonArguments {
  readonly value: JsonValue | undefined
  /** False when the text stopped before its value did. */
  readonly complete: boolean
  readonly repairs: readonly Repair[]
}

const FENCED = /^```\w*\s(.*)```$/s

// Behind what may stand before a value: inside a string the quotes around it would break the JSON.
const LONG_INTEGER = /([:[,]\s*)(-?\d{16,})(?=\s*[,}\]])/g

/** Also JSON in a JSON string: encoded once too often, which happens; twice does not. */
export function readJsonArguments(text: string, options: JsonArgumentsOptions): JsonArguments {
  const read = readOnce(text, options)
  const { value, repairs } = read
  if (options.repair === 'off' || typeof value !== 'string' || !/^\s*\{/.test(value)) return read
  const inner = readOnce(value, options)
  return { ...inner, repairs: [...repairs, DECODED, ...inner.repairs] }
}

function readOnce(text: string, options: JsonArgumentsOptions): JsonArguments {
  if (options.repair === 'off') return { value: parseStrict(text), complete: true, repairs: [] }
  const fenced = FENCED.exec(text)?.[1]
  const read = readSource(fenced ?? text, options)
  return fenced === undefined ? read : { ...read, repairs: [UNWRAPPED, ...read.repairs] }
}

function readSource(source: string, options: JsonArgumentsOptions): JsonArguments {
  const value = parseStrict(source)
  if (value !== undefined) return { complete: true, ...keepDigits(value, source, options) }
  const read = readJson(source, { repair: options.repair })
  // What stands behind the value is reported and does not make it incomplete.
  const complete = read.complete || read.repairs.at(-1)?.code === 'dropped-text'
  return { ...read, complete }
}

const DECODED: Repair = { code: 'decoded-string', path: [], risk: 'safe' }
const UNWRAPPED: Repair = { code: 'unwrapped-fence', path: [], risk: 'safe' }

/**
 * Integers beyond 2^53 lose digits as numbers. Where the schema wants text in their place they become
 * text; otherwise the loss is reported.
 */
function keepDigits(
  rounded: JsonValue,
  json: string,
  { schema, fit }: JsonArgumentsOptions,
): Pick<JsonArguments, 'value' | 'repairs'> {
  let before = ''
  const quoted = json.replace(LONG_INTEGER, (whole, lead: string, digits: string) => {
    if (Number.isSafeInteger(Number(digits))) return whole
    before = digits
    return `${lead}"${digits}"`
  })
  const value = before === '' ? undefined : parseStrict(quoted)
  if (value === undefined) return { value: rounded, repairs: [] }
  const isFitted = schema !== undefined && isJsonObject(rounded)
  const fitted = isFitted ? fit?.fit(rounded, schema, []) : undefined
  if (fitted?.repairs.some(isLossyText)) {
    return { value, repairs: [{ code: 'coerced-string', path: [], risk: 'safe', before }] }
  }
  const after = String(Number(before))
  const repair: Repair = { code: 'unsafe-integer', path: [], risk: 'guess', before, after }
  return { value: rounded, repairs: [repair] }
}

function isLossyText({ code, risk }: Repair): boolean {
  return code === 'coerced-string' && risk === 'guess'
}
