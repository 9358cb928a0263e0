/** Tool definitions in any provider's spelling, brought into ours. */
import { refused } from '../caller-input.ts'
import { InvalidInputError } from '../errors.ts'
import type { JsonObject } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema, Tool, ToolAnnotations } from '../model.ts'

type Fields = Readonly<Record<string, unknown>>

/** Tools in any known spelling: a list of definitions or names, or a record from names to definitions. */
export type ToolDefinitions = readonly unknown[] | Readonly<Record<string, unknown>>

const SCHEMA_KEYS = [
  'inputSchema',
  'input_schema',
  'parameters',
  'Parameters',
  'parametersJsonSchema',
  'schema',
] as const
const EXAMPLE = "{ name: 'get_weather', inputSchema: { type: 'object', properties: {} } }"

/**
 * One tool definition in our spelling. A `Tool` comes back as it is.
 *
 * @throws TypeError when the definition has no usable name or schema.
 */
export function normalizeTool(definition: unknown): Tool {
  const where = 'the tool definition'
  const [only, ...others] = expandEntry(definition, where)
  if (only && others.length === 0) return only
  throw new InvalidInputError(`${where} declares ${others.length} more tools; use normalizeTools`)
}

/**
 * A list of definitions, or a record from names to definitions, in our spelling. A group such as
 * Gemini's `{ functionDeclarations: [...] }` counts as the tools in it.
 *
 * @throws TypeError when an entry has no usable name or schema.
 */
export function normalizeTools(list: ToolDefinitions): Tool[] {
  checkToolList(list)
  if (Array.isArray(list)) return list.flatMap((entry, at) => expandEntry(entry, `tools[${at}]`))
  return Object.keys(list).length === 0 ? [] : expandEntry(list, 'tools')
}

/** A set or a map would look like a record without tools, and every call like one too many. */
export function checkToolList(tools: unknown): void {
  const isRecord = Object(tools) === tools && !(Symbol.iterator in Object(tools))
  if (!Array.isArray(tools) && !isRecord) throw refused('tools', tools, 'a list or a record')
}

function expandEntry(entry: unknown, where: string): Tool[] {
  if (!isJsonObject(entry)) return [normalizeAt(entry, where)]
  const group = entry['functionDeclarations'] ?? entry['function_declarations']
  if (Array.isArray(group)) return group.map((member, at) => normalizeAt(member, `${where}[${at}]`))
  if (!isToolRecord(entry)) return [normalizeAt(entry, where)]
  return Object.entries(entry).map(([name, body]) =>
    normalizeAt({ ...body, name }, `${where}.${name}`),
  )
}

function normalizeAt(definition: unknown, where: string): Tool {
  if (typeof definition === 'string' && definition !== '') {
    return { name: definition, inputSchema: { type: 'object' } }
  }
  const fields = unwrap(definition)
  const name = nameOf(fields)
  if (name === undefined || name === '') {
    throw new InvalidInputError(`${where} has no name; write ${EXAMPLE}`)
  }
  const description = fields['description'] ?? fields['Description']
  const annotations = readAnnotations(fields['annotations'])
  const tool: Tool = {
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: readSchema(fields, `${where} (${name})`),
    ...(typeof fields['strict'] === 'boolean' && { strict: fields['strict'] }),
    ...(annotations && { annotations }),
  }
  return isSame(fields, tool) ? fields : tool
}

/** What is ours already stays the same object, with whatever else its owner keeps in it. */
function isSame(fields: Fields, tool: Tool): fields is Fields & Tool {
  const keys = ['name', 'inputSchema', 'annotations'] as const
  return keys.every((key) => fields[key] === tool[key])
}

function readSchema(fields: Fields, where: string): JsonSchema {
  const found = SCHEMA_KEYS.map((key) => fields[key]).find((value) => value != null)
  if (found === undefined) return { type: 'object', properties: {} }
  if (typeof found === 'boolean') return found
  const schema = isJsonObject(found) ? unwrapSchema(found) : undefined
  // Schema libraries hang `~standard` on their objects; their inner fields are not JSON Schema.
  if (schema && !('~standard' in schema)) return schema
  throw new InvalidInputError(
    `${where} has a schema that is not JSON Schema; convert it first, for example with tool()`,
  )
}

/** AI SDK's `jsonSchema()` and Bedrock's `{ json }` put the schema one level down. */
function unwrapSchema(schema: JsonObject): JsonObject {
  const inner = schema['jsonSchema'] ?? schema['json']
  return isJsonObject(inner) && !('type' in schema || 'properties' in schema) ? inner : schema
}

/** OpenAI Chat keeps the definition under `function`, Bedrock under `toolSpec`. */
function unwrap(definition: unknown): Fields {
  if (!isJsonObject(definition)) return {}
  const inner = definition['function'] ?? definition['toolSpec']
  return isJsonObject(inner) ? inner : definition
}

function nameOf({ name, Name = name }: Fields): string | undefined {
  return [name, Name].find((value) => typeof value === 'string')
}

/** A record from names to definitions, as the AI SDK has it: no name of its own, only objects. */
function isToolRecord(entry: JsonObject): entry is Record<string, JsonObject> {
  if (nameOf(unwrap(entry)) !== undefined || typeof entry['type'] === 'string') return false
  const bodies = Object.values(entry)
  return bodies.length > 0 && bodies.every((body) => isJsonObject(body) && isDefinitionBody(body))
}

function isDefinitionBody(body: JsonObject): boolean {
  return [...SCHEMA_KEYS, 'description', 'Description', 'execute'].some((key) => key in body)
}

/** Ours, or MCP's where the flags end in `Hint`. */
function readAnnotations(annotations: unknown): ToolAnnotations | undefined {
  if (!isJsonObject(annotations)) return undefined
  const entries = Object.entries(annotations)
  const renamed = entries.map(([key, value]) => [key.replace(/Hint$/, ''), value] as const)
  const isOurs = renamed.every(([key]) => key in annotations)
  // The cast: whoever declares a tool vouches for the types of its annotations.
  return (isOurs ? annotations : Object.fromEntries(renamed)) as ToolAnnotations
}
