/** Holds a configuration against the schema, in words for people. */
import type { JsonPath } from '../../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { nearest } from '../../core/nearest.ts'
import { validate } from '../../core/schema/validate.ts'
import { type Finding, pathKey } from './problem.ts'
import { schemasAt } from './schema-at.ts'

/** `quiet`: keys of paths whose values are not to be shown. */
export function checkShape(
  value: JsonValue,
  schema: JsonObject,
  quiet: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  return validate(value, schema).map(({ path, message }) => {
    if (message.startsWith('is not a known property')) return unknownProperty(path, schema)
    const words = unknownMember(path, valueAt(value, path), schema, quiet) ?? withoutValue(message)
    return { path, message: words }
  })
}

function unknownProperty(path: JsonPath, schema: JsonObject): Finding {
  const known = schemasAt(schema, path.slice(0, -1)).flatMap(({ properties }) =>
    isJsonObject(properties) ? Object.keys(properties) : [],
  )
  const ours = known.filter((name) => !name.startsWith('$'))
  const message = `there is no such property; ${suggestion(String(path.at(-1)), ours)}`
  return { path, message, isAboutName: true }
}

function unknownMember(
  path: JsonPath,
  value: JsonValue | undefined,
  schema: JsonObject,
  quiet: ReadonlySet<string>,
): string | undefined {
  const choice = schemasAt(schema, path).find((one) => Array.isArray(one['enum']))
  if (!choice || typeof value !== 'string') return undefined
  const { title, enum: members } = choice
  const known = Array.isArray(members) ? members.map(String) : []
  const written = quiet.has(pathKey(path)) ? 'of this name' : `"${value}"`
  return `there is no ${title} ${written}; ${suggestion(value, known)}`
}

const MAX_LISTED = 12

/** `did you mean "openai"?`, or what there is when nothing is close. */
export function suggestion(
  written: string,
  known: readonly string[],
  meant: string | undefined = nearest(written, known),
): string {
  if (meant !== undefined) return `did you mean "${meant}"?`
  const rest = known.length > MAX_LISTED ? ', …' : ''
  return `known are ${known.slice(0, MAX_LISTED).join(', ')}${rest}`
}

/** A value in the wrong place may be a key, so no text is repeated. */
function withoutValue(message: string): string {
  return message.replace(/([,;] got) (string|number|boolean) [\s\S]*$/, '$1 a $2')
}

export function valueAt(value: JsonValue, path: JsonPath): JsonValue | undefined {
  let here: JsonValue | undefined = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    // The cast: lists and objects are both read by their own keys.
    here = (here as Readonly<Record<string | number, JsonValue>>)[step]
  }
  return here
}

/** What is left when everything is taken away that the findings are about: it fits the schema. */
export function fittingPart(
  value: JsonObject,
  schema: JsonObject,
  findings: readonly Finding[],
): JsonObject {
  let rest = value
  let wrong: readonly { readonly path: JsonPath }[] = findings
  while (wrong.length > 0) {
    for (const { path } of wrong) rest = without(rest, path)
    wrong = validate(rest, schema)
  }
  return rest
}

/** Without the innermost property on the way: what stands in lists keeps its place. */
function without(object: JsonObject, path: JsonPath): JsonObject {
  // It went with something else that was wrong.
  if (path.length > 0 && valueAt(object, path.slice(0, -1)) === undefined) return object
  const copy = structuredClone(object)
  for (let length = path.length; length > 0; length--) {
    const step = path[length - 1]
    const parent = valueAt(copy, path.slice(0, length - 1))
    if (typeof step !== 'string' || !isJsonObject(parent) || !Object.hasOwn(parent, step)) continue
    delete parent[step]
    return copy
  }
  return {}
}
