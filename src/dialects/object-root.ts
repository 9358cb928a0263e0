/** Arguments are an object, and servers refuse the schema of a tool that says anything else. */
import type { CodecOptions } from '../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { Tool } from '../core/model.ts'
import { distinctJson } from '../core/schema/json-text.ts'

/** The name under which a value travels that is no object. */
const VALUE = 'value'

/**
 * The tool with a schema for an object: of several objects the one that allows all of them, and anything
 * else as its only property.
 */
export function withObjectRoot(tool: Tool, { report }: CodecOptions): Tool {
  const { inputSchema } = tool
  if (!isJsonObject(inputSchema) || isObject(inputSchema)) return tool
  const merged = mergedUnion(inputSchema)
  const how = merged ? 'one object of several' : `an object with the property ${VALUE}`
  report?.({
    code: 'not-expressible',
    message: `${tool.name} does not take an object; it is declared as ${how}`,
    name: tool.name,
  })
  return { ...tool, inputSchema: merged ?? wrapped(inputSchema) }
}

const UNIONS = ['anyOf', 'oneOf'] as const

function isObject(schema: JsonObject): boolean {
  const { type } = schema as Record<string, JsonValue | undefined>
  if (type === undefined) return !['enum', 'const', 'allOf', ...UNIONS].some((key) => key in schema)
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

/** Undefined when it is no choice between objects. */
function mergedUnion(schema: JsonObject): JsonObject | undefined {
  const union = UNIONS.find((key) => Array.isArray(schema[key]))
  if (union === undefined || schema['type'] !== undefined) return undefined
  const { [union]: branches, ...rest } = schema as Record<string, JsonValue>
  const objects = (branches as JsonValue[]).filter(isPlainObject) // `find` has seen a list
  if (objects.length === 0 || objects.length < (branches as JsonValue[]).length) return undefined
  const all = [rest, ...objects]
  const lists = objects.map(({ required }) => (Array.isArray(required) ? required : []))
  const common = lists.reduce((both, list) => {
    const names = new Set(list)
    return both.filter((name) => names.has(name))
  })
  const own = Array.isArray(rest['required']) ? rest['required'] : []
  const required = [...new Set([...own, ...common])]
  return {
    ...rest,
    type: 'object',
    properties: mergedProperties(all.map(({ properties }) => properties)),
    ...(required.length > 0 && { required }),
  }
}

function isPlainObject(schema: JsonValue): schema is JsonObject {
  return isJsonObject(schema) && schema['type'] === 'object' && isJsonObject(schema['properties'])
}

function mergedProperties(lists: readonly (JsonValue | undefined)[]): JsonObject {
  const merged = new Map<string, JsonValue[]>()
  for (const [name, schema] of lists.flatMap((list) =>
    Object.entries(isJsonObject(list) ? list : {}),
  )) {
    const known = merged.get(name)
    if (known) known.push(schema)
    else merged.set(name, [schema])
  }
  return Object.fromEntries(
    Array.from(merged, ([name, schemas]) => {
      const different = distinctJson(schemas)
      const [only = true, ...others] = different
      return [name, others.length === 0 ? only : { anyOf: different }]
    }),
  )
}

/** Definitions stay at the root, where references look for them. */
function wrapped(schema: JsonObject): JsonObject {
  const { $defs, definitions, $schema, ...value } = schema as Record<string, JsonValue>
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { [VALUE]: value },
    required: [VALUE],
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}
