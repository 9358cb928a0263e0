/** Tool definitions in any provider's spelling, brought into ours. */
import type { JsonObject } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema, Tool, ToolAnnotations } from '../model.ts'

type Fields = Readonly<Record<string, unknown>>

const NAME_KEYS = ['name', 'Name'] as const
const DESCRIPTION_KEYS = ['description', 'Description'] as const
const SCHEMA_KEYS = [
  'inputSchema',
  'input_schema',
  'parameters',
  'Parameters',
  'parametersJsonSchema',
  'schema',
] as const
const GROUP_KEYS = ['functionDeclarations', 'function_declarations'] as const
const EXAMPLE = "{ name: 'get_weather', inputSchema: { type: 'object', properties: {} } }"

/**
 * One tool definition in our spelling. A `Tool` comes back as it is.
 *
 * @throws TypeError when the definition has no usable name or schema.
 */
export function normalizeTool(definition: unknown): Tool {
  return normalizeAt(definition, 'the tool definition')
}

/**
 * A list of definitions, or a record from names to definitions, in our spelling. A group such as
 * Gemini's `{ functionDeclarations: [...] }` counts as the tools in it.
 *
 * @throws TypeError when an entry has no usable name or schema.
 */
export function normalizeTools(list: readonly unknown[] | Fields): Tool[] {
  if (Array.isArray(list)) return list.flatMap((entry, at) => expandEntry(entry, `tools[${at}]`))
  return Object.keys(list).length === 0 ? [] : expandEntry(list, 'tools')
}

function expandEntry(entry: unknown, where: string): Tool[] {
  const group = findGroup(entry)
  if (group) return group.map((member, at) => normalizeAt(member, `${where}[${at}]`))
  if (isToolRecord(entry)) {
    return Object.entries(entry).map(([name, body]) =>
      normalizeAt({ ...body, name }, `${where}.${name}`),
    )
  }
  return [normalizeAt(entry, where)]
}

function normalizeAt(definition: unknown, where: string): Tool {
  if (typeof definition === 'string' && definition !== '') {
    return { name: definition, inputSchema: { type: 'object' } }
  }
  const group = findGroup(definition)
  if (group) return normalizeAt(soleMember(group, where), where)
  const fields = unwrap(definition)
  const name = readText(fields, NAME_KEYS)
  if (name === undefined || name === '') {
    throw new TypeError(`${where} has no name; write ${EXAMPLE}`)
  }
  return isTool(definition) ? definition : buildTool(name, fields, where)
}

function buildTool(name: string, fields: Fields, where: string): Tool {
  const description = readText(fields, DESCRIPTION_KEYS)
  const annotations = readAnnotations(fields['annotations'])
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: readSchema(fields, `${where} (${name})`),
    ...(typeof fields['strict'] === 'boolean' && { strict: fields['strict'] }),
    ...(annotations && { annotations }),
  }
}

function readSchema(fields: Fields, where: string): JsonSchema {
  const found = SCHEMA_KEYS.map((key) => fields[key]).find((value) => value != null)
  if (found === undefined) return { type: 'object', properties: {} }
  const schema = unwrapSchema(found)
  if (isSchema(schema)) return schema
  throw new TypeError(
    `${where} has a schema that is not JSON Schema; convert it first, for example with tool()`,
  )
}

/** AI SDK's `jsonSchema()` and Bedrock's `{ json }` put the schema one level down. */
function unwrapSchema(schema: unknown): unknown {
  if (!isJsonObject(schema) || 'type' in schema || 'properties' in schema) return schema
  const inner = schema['jsonSchema'] ?? schema['json']
  return isJsonObject(inner) ? inner : schema
}

/** OpenAI Chat keeps the definition under `function`, Bedrock under `toolSpec`. */
function unwrap(definition: unknown): Fields {
  if (!isJsonObject(definition)) return {}
  const inner = definition['function'] ?? definition['toolSpec']
  return isJsonObject(inner) ? inner : definition
}

function isTool(definition: unknown): definition is Tool {
  if (!isJsonObject(definition) || typeof definition['name'] !== 'string') return false
  const schema = definition['inputSchema']
  return isSchema(schema) && unwrapSchema(schema) === schema && !hasHints(definition['annotations'])
}

// Schema libraries hang `~standard` on their objects; their inner fields are not JSON Schema.
function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || (isJsonObject(value) && !('~standard' in value))
}

function findGroup(entry: unknown): readonly unknown[] | undefined {
  if (!isJsonObject(entry)) return undefined
  return GROUP_KEYS.map((key): unknown => entry[key]).find((value) => Array.isArray(value)) as
    | readonly unknown[] // narrowed by the predicate, which `find` does not carry over
    | undefined
}

function soleMember(group: readonly unknown[], where: string): unknown {
  if (group.length === 1) return group[0]
  throw new TypeError(`${where} declares ${group.length} tools; use normalizeTools`)
}

/** A record from names to definitions, as the AI SDK has it: no name of its own, only objects. */
function isToolRecord(entry: unknown): entry is Record<string, JsonObject> {
  if (!isJsonObject(entry) || readText(unwrap(entry), NAME_KEYS) !== undefined) return false
  if ('type' in entry && typeof entry['type'] === 'string') return false
  const bodies = Object.values(entry)
  return bodies.length > 0 && bodies.every((body) => isJsonObject(body) && isDefinitionBody(body))
}

function isDefinitionBody(body: JsonObject): boolean {
  return [...SCHEMA_KEYS, ...DESCRIPTION_KEYS, 'execute'].some((key) => key in body)
}

function hasHints(annotations: unknown): boolean {
  return isJsonObject(annotations) && Object.keys(annotations).some((key) => key.endsWith('Hint'))
}

/** Ours, or MCP's where the flags end in `Hint`. */
function readAnnotations(annotations: unknown): ToolAnnotations | undefined {
  if (!isJsonObject(annotations)) return undefined
  const { title } = annotations
  const flags = (['readOnly', 'destructive', 'idempotent'] as const).flatMap((flag) => {
    const value = annotations[flag] ?? annotations[`${flag}Hint`]
    return typeof value === 'boolean' ? [[flag, value] as const] : []
  })
  return { ...(typeof title === 'string' && { title }), ...Object.fromEntries(flags) }
}

function readText(fields: Fields, keys: readonly string[]): string | undefined {
  return keys.map((key) => fields[key]).find((value) => typeof value === 'string')
}
