/** Fields of request bodies that the options of a client say, in the words of the service that is asked. */
import { checkObject } from '../core/caller-input.ts'
import type { OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import type { JsonObject } from '../core/json/value.ts'
import { mergedFields } from '../dialects/request-fields.ts'

export interface ExtraBody {
  /**
   * Fields for each request that does not have them itself, as its API spells them: sampling defaults, or what only
   * this service knows, such as `{ keep_alive: '30m', options: { num_ctx: 32768 } }` for Ollama. Objects are merged.
   */
  readonly body?: JsonObject | undefined
  /** The same, but these fields replace those of the request. */
  readonly forceBody?: JsonObject | undefined
}

/** Part of the known options of all that take them. */
export const EXTRA_BODY_KEYS: OptionKeys<ExtraBody> = { body: 0, forceBody: 0 }

/** The conversation and how it is asked for: the request itself, which no option may replace. */
export const OWN_FIELDS: readonly string[] = [
  'model',
  'messages',
  'input',
  'contents',
  'prompt',
  'stream',
]

/** Fields with one meaning, of which a request has only one. */
const SAME_FIELDS: readonly (readonly string[])[] = [['max_tokens', 'max_completion_tokens']]

/** The body of a request with the fields of the options. */
export function withExtraBody(
  written: JsonObject,
  { body = {}, forceBody = {} }: ExtraBody,
): JsonObject {
  const defaults = withoutSame(body, written)
  return mergedFields(withoutSame(mergedFields(defaults, written), forceBody), forceBody)
}

/** The fields without those for which another body has a field of the same meaning under another name. */
function withoutSame(fields: JsonObject, other: JsonObject): JsonObject {
  const doubled = SAME_FIELDS.flatMap((names) => {
    const own = names.filter((name) => name in other)
    return own.length > 0 ? names.filter((name) => !own.includes(name)) : []
  })
  if (!doubled.some((name) => name in fields)) return fields
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !doubled.includes(name)))
}

/** What several layers say together; a later layer goes before an earlier one. */
export function mergeExtraBody(...layers: readonly ExtraBody[]): ExtraBody {
  return layers.reduce<ExtraBody>(
    (before, { body, forceBody }) => ({
      body: merged(before.body, body),
      forceBody: merged(before.forceBody, forceBody),
    }),
    {},
  )
}

function merged(first: JsonObject | undefined, second: JsonObject | undefined) {
  return first && second ? mergedFields(first, second) : (second ?? first)
}

/** The fields that options may not set. */
export function ownFieldsIn(fields: JsonObject = {}): readonly string[] {
  return OWN_FIELDS.filter((name) => name in fields)
}

/** @throws InvalidInputError for what is no object, and for fields that belong to the request. */
export function checkExtraBody(extra: ExtraBody, where = ''): void {
  for (const name of ['body', 'forceBody'] as const) {
    const fields = extra[name]
    if (fields === undefined) continue
    checkObject(where + name, fields, '{ temperature: 0.2 }')
    const [own] = ownFieldsIn(fields)
    if (own !== undefined) throw new InvalidInputError(`${where}${name}.${own}: ${OWN_FIELD}`)
  }
}

export const OWN_FIELD = 'belongs to the request itself, and cannot be set here'
