/** Function declarations and the choice among them. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { CodecOptions, EncodeOptions, FormatWireToolsOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { JsonSchema, Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import { objectsIn } from '../history-call.ts'
import { compactDefinition } from '../tool-definition.ts'
import { camelKeys, objectAt } from './candidate.ts'
import { decodeSchema } from './json-schema.ts'
import { lowerSchema } from './schema.ts'

/** All functions in one entry; tools that Google runs itself stay as they are. */
export function formatTools(
  tools: readonly unknown[],
  { compact = false }: FormatWireToolsOptions = {},
): JsonObject[] {
  const own = tools.filter(isBuiltIn)
  const others = tools.filter((tool) => !isBuiltIn(tool))
  const declared = others.flatMap((tool) =>
    isGroup(tool)
      ? objectsIn(tool['functionDeclarations'])
      : normalizeTools([tool]).map((one) => encodeTool(one)),
  )
  const written = compact ? declared.map((one) => compactDefinition(one, 'parameters')) : declared
  return [...(written.length > 0 ? [{ functionDeclarations: written }] : []), ...own]
}

function isGroup(tool: unknown): tool is JsonObject {
  return isJsonObject(tool) && Array.isArray(tool['functionDeclarations'])
}

const BUILT_IN =
  /^(?:googleSearch|googleSearchRetrieval|codeExecution|urlContext|googleMaps|fileSearch|computerUse|retrieval|enterpriseWebSearch)$/

function isBuiltIn(tool: unknown): tool is JsonObject {
  if (!isJsonObject(tool)) return false
  const keys = Object.keys(camelKeys(tool))
  return keys.length > 0 && keys.every((key) => BUILT_IN.test(key))
}

/** The fields of a request about tools; `own` are those that only Gemini knows. */
export function encodeToolFields(
  request: ChatRequest,
  own: JsonObject,
  options: EncodeOptions = {},
): JsonObject {
  const { tools = [], toolChoice } = request
  const declared = tools.map((tool) => encodeTool(tool, options))
  const entries = [
    ...(declared.length > 0 ? [{ functionDeclarations: declared }] : []),
    ...objectsIn(own['tools']),
  ]
  const isStrict = options.quirks?.strict !== false && tools.some(({ strict }) => strict === true)
  const choice = tools.length > 0 ? encodeChoice(toolChoice, isStrict) : {}
  const config = { ...objectAt(choice, 'toolConfig'), ...objectAt(own, 'toolConfig') }
  return {
    ...(entries.length > 0 && { tools: entries }),
    ...(Object.keys(config).length > 0 && { toolConfig: config }),
  }
}

function encodeTool(tool: Tool, options: EncodeOptions = {}): JsonObject {
  const { name, description, inputSchema } = tool
  return {
    name,
    ...(description !== undefined && { description }),
    ...encodeParameters(inputSchema, name, options),
  }
}

/** A function without parameters has no schema: one that allows nothing is refused. */
function encodeParameters(schema: JsonSchema, name: string, options: EncodeOptions): JsonObject {
  if (options.quirks?.jsonSchema && isJsonObject(schema)) {
    const { $schema: _, ...rest } = schema
    return { parametersJsonSchema: rest }
  }
  const tell = teller(`the parameters of ${name}`, options)
  const lowered = asObject(lowerSchema(schema, tell), tell)
  return lowered ? { parameters: lowered } : {}
}

/** Tells what a schema loses, as issues. */
export function teller(
  owner: string,
  { report }: CodecOptions,
): (path: string, loss: string) => void {
  return (path, loss) => {
    const place = path === '' ? owner : `${owner} at ${path}`
    report?.({ code: 'not-expressible', message: `${place}: ${loss}` })
  }
}

/** Arguments are an object, whose properties are the parameters. */
function asObject(
  schema: JsonObject,
  tell: (path: string, loss: string) => void,
): JsonObject | undefined {
  const { anyOf, type } = schema as Record<string, JsonValue | undefined>
  const members = objectsIn(anyOf)
  if (members.length > 0 && members.every((member) => member['type'] === 'object')) {
    tell('', 'one of several sets of parameters cannot be asked for; each is optional')
    return joined(members)
  }
  if (type !== 'object') tell('', 'only an object can have parameters')
  return type === 'object' && 'properties' in schema ? schema : undefined
}

function joined(members: readonly JsonObject[]): JsonObject {
  const properties = Object.assign({}, ...members.map((one) => one['properties'] ?? {}))
  const lists = members.map(({ required }) => (Array.isArray(required) ? required : []))
  const required = lists[0]?.filter((name) => lists.every((list) => list.includes(name))) ?? []
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** `VALIDATED` leaves the choice free and holds the model to the schemas. */
export function encodeChoice(choice: ToolChoice | undefined, isStrict = false): JsonObject {
  const config = choiceConfig(choice, isStrict)
  return config ? { toolConfig: { functionCallingConfig: config } } : {}
}

function choiceConfig(choice: ToolChoice | undefined, isStrict: boolean): JsonObject | undefined {
  if (choice === undefined) return isStrict ? { mode: 'VALIDATED' } : undefined
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: 'ANY' }
  if (choice === 'auto') return { mode: isStrict ? 'VALIDATED' : 'AUTO' }
  if ('name' in choice) return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  const { names, required = false } = choice
  return { mode: required ? 'ANY' : 'VALIDATED', allowedFunctionNames: [...names] }
}

/** Tools, the choice among them, and what of both only Gemini knows. */
export function decodeToolFields(body: JsonObject): {
  readonly settings: Partial<ChatRequest>
  readonly rest: JsonObject
} {
  const entries = objectsIn(body['tools']).map(camelKeys)
  const tools = entries.flatMap((entry) => objectsIn(entry['functionDeclarations']).map(decodeTool))
  const others = entries.flatMap(({ functionDeclarations: _, ...entry }) =>
    Object.keys(entry).length > 0 ? [entry] : [],
  )
  const { functionCallingConfig: _, ...rest } = objectAt(body, 'toolConfig') ?? {}
  const config = objectAt(objectAt(body, 'toolConfig'), 'functionCallingConfig')
  const toolChoice = config && decodeChoice(config)
  const isKept = config !== undefined && (toolChoice === undefined || isFreelyValidated(config))
  const toolConfig = { ...rest, ...(isKept && { functionCallingConfig: config }) }
  return {
    settings: {
      ...(tools.length > 0 && { tools: normalizeTools(tools) }),
      ...(toolChoice !== undefined && { toolChoice }),
    },
    rest: {
      ...(others.length > 0 && { tools: others }),
      ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
    },
  }
}

/** Without names it is `auto` to all others, and must be kept to be said again. */
function isFreelyValidated({ mode, allowedFunctionNames }: JsonObject): boolean {
  return mode === 'VALIDATED' && !Array.isArray(allowedFunctionNames)
}

function decodeTool(given: JsonObject): JsonObject {
  const {
    name = '',
    description,
    parameters,
    parametersJsonSchema,
  } = camelKeys(given) as Record<string, JsonValue | undefined>
  const schema = decodeSchema(parameters, parametersJsonSchema)
  return {
    name,
    ...(description !== undefined && { description }),
    ...(schema && { parameters: schema }),
  }
}

function decodeChoice({ mode, allowedFunctionNames }: JsonObject): ToolChoice | undefined {
  const names = Array.isArray(allowedFunctionNames)
    ? allowedFunctionNames.filter((name) => typeof name === 'string')
    : []
  const [only] = names
  if (mode === 'NONE') return 'none'
  if (mode === 'AUTO') return 'auto'
  if (mode === 'ANY') {
    if (only === undefined) return 'required'
    return names.length === 1 ? { name: only } : { names, required: true }
  }
  if (mode !== 'VALIDATED') return undefined
  return only === undefined ? 'auto' : { names }
}
