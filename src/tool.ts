/** Tools with what they do: the definition a program writes, checked when it is written. */
import { checkKeys, type OptionKeys } from './core/check-options.ts'
import { InvalidInputError, ToolglotError } from './core/errors.ts'
import { isJsonObject, type JsonObject } from './core/json/value.ts'
import type { JsonSchema, Message, Tool, ToolCall } from './core/model.ts'
import {
  isStandardSchema,
  type StandardResult,
  type StandardSchema,
} from './core/standard-schema.ts'
import { thrownMessage } from './core/thrown-message.ts'

/** A schema of zod, valibot, arktype or the like, or JSON Schema. */
export type ToolSchema = StandardSchema | JsonSchema

/** What `execute` is given: the output of a Standard Schema, any object for JSON Schema. */
export type ToolInput<Schema> =
  Schema extends StandardSchema<unknown, infer Output> ? Output : JsonObject

/** AbortSignal, by way of the global object: the root entry goes without the types of Node and DOM. */
export type Signal = typeof globalThis extends { AbortSignal: { readonly prototype: infer Own } }
  ? Own
  : unknown

export interface ToolContext {
  readonly call: ToolCall
  /** Aborts when the run is cancelled or the call has taken too long. */
  readonly signal: Signal
  /**
   * The same for every attempt at this call, also in another process after a crash, and for no other
   * call: what a payment or a mail service wants as its idempotency key.
   */
  readonly key: string
  /** The conversation so far. It goes on while the tool runs; copy what must stay. */
  readonly messages: readonly Message[]
  /** Tells whoever watches the run how far the tool is. */
  progress(value: unknown): void
}

/** A tool of which not only the description is known. */
export interface RunnableTool extends Tool {
  readonly title?: string
  /** Milliseconds a call may take. The run's own limit when left out. */
  readonly timeoutMs?: number
  /** True when calls of it may run beside others that say so. */
  readonly concurrencySafe?: boolean
  /** How often a call is tried again after a failure that may pass, such as a lost connection. */
  readonly retries?: number
  // Methods, so that a tool with a narrower input is one of these, too.
  /** Absent: the program that started the run answers the calls. */
  execute?(input: unknown, context: ToolContext): unknown
  /**
   * Asked after a crash, when a call was begun and nothing is known of its end: its result if it took
   * effect, or undefined if it did not and may be run.
   */
  recover?(input: unknown, context: ToolContext): unknown
  needsApproval?(input: unknown, context: ApprovalContext): boolean | Promise<boolean>
  /** What a Standard Schema says to an input. */
  check?(input: unknown): StandardResult<unknown> | Promise<StandardResult<unknown>>
}

/** A tool in the spelling of another system or API, with what it does beside it. */
export interface ForeignTool extends Omit<RunnableTool, 'name' | 'inputSchema' | 'annotations'> {
  readonly name?: string
  readonly type?: string
  /** OpenAI Chat, Ollama and Mistral keep the definition here, Bedrock in `toolSpec`. */
  readonly function?: object
  readonly toolSpec?: object
  /** Gemini has several tools in one entry. */
  readonly functionDeclarations?: readonly object[]
  readonly inputSchema?: object | boolean
  readonly input_schema?: object
  readonly parameters?: object
  readonly parametersJsonSchema?: object
  readonly schema?: object
  readonly annotations?: object
}

export interface ApprovalContext {
  readonly call: ToolCall
  readonly messages: readonly Message[]
}

export interface ToolDefinition<Name extends string, Schema extends ToolSchema>
  extends Omit<RunnableTool, 'inputSchema' | 'execute' | 'recover' | 'needsApproval' | 'check'> {
  readonly name: Name
  readonly inputSchema: Schema
  /** What the model is shown, when the library of `inputSchema` cannot say it as JSON Schema. */
  readonly jsonSchema?: JsonSchema
  /**
   * A string, any JSON value, parts such as images, or an async iterable of them, of which all but the
   * last are progress. What it throws becomes an error result for the model.
   */
  execute?(input: ToolInput<Schema>, context: ToolContext): unknown
  recover?(input: ToolInput<Schema>, context: ToolContext): unknown
  /** Whether somebody must agree before a call runs. */
  readonly needsApproval?:
    | boolean
    | ((input: ToolInput<Schema>, context: ApprovalContext) => boolean | Promise<boolean>)
}

/**
 * A tool, ready for `runAgent` and for everything that takes tools.
 *
 * @example
 * const weather = tool({
 *   name: 'get_weather',
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: ({ city }) => `Sunny in ${city}`,
 * })
 *
 * @throws ToolglotError `invalid_tool` or `schema_unconvertible`, with the way out in its message.
 */
export function tool<const Name extends string, Schema extends ToolSchema>(
  definition: ToolDefinition<Name, Schema>,
): RunnableTool & { readonly name: Name } {
  checkName(definition)
  checkKeys('tool', definition, KEYS, "{ name: 'get_weather', inputSchema, execute }")
  const { inputSchema, jsonSchema, needsApproval, ...rest } = definition
  checkFunctions(definition)
  const shown = jsonSchema ?? toJsonSchema(rest.name, inputSchema)
  checkObject(rest.name, shown)
  return {
    ...rest,
    inputSchema: shown,
    ...(needsApproval && { needsApproval: asFunction(needsApproval) }),
    ...(isStandardSchema(inputSchema) && {
      check: (input: unknown) => inputSchema['~standard'].validate(input),
    }),
  }
}

function asFunction<Arguments extends readonly unknown[]>(
  needsApproval: true | ((...args: Arguments) => boolean | Promise<boolean>),
): (...args: Arguments) => boolean | Promise<boolean> {
  return typeof needsApproval === 'function' ? needsApproval : () => true
}

const KEYS: OptionKeys<ToolDefinition<string, ToolSchema> & Pick<RunnableTool, 'check'>> = {
  name: 0,
  description: 0,
  inputSchema: 0,
  jsonSchema: 0,
  execute: 0,
  recover: 0,
  needsApproval: 0,
  title: 0,
  timeoutMs: 0,
  retries: 0,
  concurrencySafe: 0,
  strict: 0,
  annotations: 0,
  freeform: 0,
  provider: 0,
  extra: 0,
  check: 0,
}

function checkName(definition: unknown): void {
  const { name }: { readonly name?: unknown } = Object(definition)
  if (typeof name === 'string' && name.trim() !== '') return
  throw invalid("a tool needs a name, as in tool({ name: 'get_weather', … })")
}

function checkFunctions({ name, execute, recover }: ToolDefinition<string, ToolSchema>): void {
  for (const [key, value] of Object.entries({ execute, recover })) {
    if (value !== undefined && typeof value !== 'function') {
      throw invalid(`${key} of tool "${name}" must be a function, not ${typeof value}`)
    }
  }
}

/** Every provider wants an object; an argument without a name has no place in a call. */
function checkObject(name: string, schema: JsonSchema): void {
  const type = isJsonObject(schema) ? schema['type'] : undefined
  const types = Array.isArray(type) ? type : [type]
  if (type === undefined || types.includes('object')) return
  throw invalid(
    `inputSchema of tool "${name}" must describe an object, not ${types.join(' or ')}; ` +
      "wrap it: { type: 'object', properties: { value: … } }",
  )
}

function toJsonSchema(name: string, schema: ToolSchema): JsonSchema {
  if (isStandardSchema(schema)) return convert(name, schema)
  if (typeof schema === 'boolean' || isJsonObject(schema)) return schema
  throw invalid(
    `inputSchema of tool "${name}" must be JSON Schema or a schema of zod, valibot or arktype; ` +
      "a tool without arguments has { type: 'object', properties: {} }",
  )
}

function convert(name: string, schema: StandardSchema): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard']
  if (!jsonSchema) {
    throw unconvertible(name, vendor, FIXES[vendor] ?? ANY_FIX)
  }
  try {
    const { $schema: _, ...converted } = jsonSchema.input({ target: 'draft-2020-12' })
    // What the library gives back is JSON Schema, which is JSON.
    return converted as JsonObject
  } catch (error) {
    const reason = thrownMessage(error)
    throw unconvertible(name, vendor, `${reason}; ${ANY_FIX}`, { cause: error })
  }
}

const ANY_FIX = 'pass the JSON Schema beside it as `jsonSchema`, and inputSchema still validates'

const FIXES: Readonly<Record<string, string>> = {
  zod: 'use zod 4.2 or newer in its classic form, or pass `jsonSchema: z.toJSONSchema(schema)` beside it',
  valibot: 'wrap it in toStandardJsonSchema() of @valibot/to-json-schema',
}

function unconvertible(
  name: string,
  vendor: string,
  fix: string,
  options?: ErrorOptions,
): ToolglotError {
  return new ToolglotError(
    'schema_unconvertible',
    `inputSchema of tool "${name}" (${vendor}) cannot be turned into JSON Schema: ${fix}`,
    options,
  )
}

function invalid(message: string): InvalidInputError {
  return new InvalidInputError(message)
}
