/** Tools of the AI SDK as ours, and ours as those of the AI SDK. */
import type { Schema, ToolExecutionOptions, ToolSet } from 'ai'
import { checkArguments } from '../agent/arguments.ts'
import { asAnswer, failure } from '../agent/tool-output.ts'
import { checkList, checkObject, checkText } from '../core/caller-input.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { JsonSchema, Tool, ToolCall } from '../core/model.ts'
import { isStandardSchema, type StandardSchema } from '../core/standard-schema.ts'
import { type ApprovalContext, type RunnableTool, type ToolContext, tool } from '../tool.ts'
import { fromModelMessages, toModelMessages } from './messages.ts'
import { readOutput, type ToolOutput, writeOutput } from './result-output.ts'

type AiTool = ToolSet[string]

/** How the SDK tells its own schemas from those of libraries. */
const SCHEMA = Symbol.for('vercel.ai.schema')

// ── from the SDK ────────────────────────────────────────────────────────────────────────────────

/**
 * The tools of a `ToolSet`, ready for `runAgent` and for everything that takes tools.
 *
 * @throws TypeError for a tool that its provider runs, ToolglotError for a schema that cannot be shown.
 */
export function fromAiTools(tools: ToolSet): RunnableTool[] {
  checkObject('tools', tools, 'tools by name, as in { weather: tool({ … }) }')
  return Object.entries(tools).map(([name, one]) => fromAiTool(name, one))
}

function fromAiTool(name: string, one: AiTool): RunnableTool {
  checkObject(`tools.${name}`, one, 'a tool of the AI SDK')
  if (one.type === 'provider') {
    throw new InvalidInputError(`tool "${name}" is run by its provider; leave it out`)
  }
  const { description, title, strict, needsApproval, execute } = one
  return tool({
    name,
    inputSchema: readSchema(name, one.inputSchema),
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    ...(strict !== undefined && { strict }),
    ...(execute && { execute: (input: unknown, context: ToolContext) => run(one, input, context) }),
    ...(typeof needsApproval === 'boolean' && { needsApproval }),
    ...(typeof needsApproval === 'function' && {
      needsApproval: async (input: unknown, { call, messages }) =>
        needsApproval(input, { toolCallId: call.id, messages: toModelMessages(messages) }),
    }),
  })
}

async function run(one: AiTool, input: unknown, context: ToolContext): Promise<unknown> {
  const { call, signal, messages } = context
  const result: unknown = await one.execute?.(input, {
    toolCallId: call.id,
    abortSignal: signal,
    // Rarely looked at, and a copy of the whole conversation.
    get messages() {
      return toModelMessages(messages)
    },
  })
  if (!one.toModelOutput) return result
  const output = isIterable(result) ? await lastOf(result, context) : result
  return asValue(await one.toModelOutput({ toolCallId: call.id, input, output }))
}

/** What comes before the last value is progress, as with our own tools. */
async function lastOf(values: AsyncIterable<unknown>, context: ToolContext): Promise<unknown> {
  let last: unknown
  for await (const value of values) {
    context.progress(value)
    last = value
  }
  return last
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function asValue(output: ToolOutput): unknown {
  const { content, isError, errorCode } = readOutput(output)
  // The outputs that are errors have a text.
  return isError ? failure(String(content), errorCode) : content
}

/** The SDK takes its own schemas, functions that give one, and those of libraries. */
function readSchema(name: string, schema: unknown): StandardSchema | JsonSchema {
  if (isStandardSchema(schema)) return schema
  const own: unknown = typeof schema === 'function' ? schema() : schema
  if (isStandardSchema(own)) return own
  if (own === undefined) return { type: 'object', properties: {} }
  if (isOwnSchema(own) && isJsonObject(own.jsonSchema) && !('then' in own.jsonSchema)) {
    return asStandard(own, own.jsonSchema)
  }
  throw new TypeError(
    `inputSchema of tool "${name}" must be a schema of the AI SDK or of a library; ` +
      'where jsonSchema() was given a promise, await it first',
  )
}

function isOwnSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && SCHEMA in value
}

function asStandard(schema: Schema, json: JsonObject): StandardSchema | JsonSchema {
  const { validate } = schema
  if (!validate) return json
  return {
    '~standard': {
      version: 1,
      vendor: 'ai',
      jsonSchema: { input: () => json },
      async validate(value) {
        const checked = await validate(value)
        if (checked.success) return { value: checked.value }
        return { issues: [{ message: checked.error.message }] }
      },
    },
  }
}

// ── to the SDK ──────────────────────────────────────────────────────────────────────────────────

/**
 * Tools as a `ToolSet`. Inputs are brought into the types of the schema before they are checked, and
 * what a tool gives back is shown to the model as in a run of ours.
 */
export function toAiTools(tools: readonly (Tool | RunnableTool)[]): ToolSet {
  checkList('tools', tools, 'a list of what tool() gives')
  for (const [at, one] of tools.entries()) {
    checkText(`the name of tools[${at}]`, Object(one).name, 'text, as in tool({ name, … })')
  }
  return Object.fromEntries(tools.map((one) => [one.name, toAiTool(one)]))
}

function toAiTool(one: RunnableTool): AiTool {
  const { name, description, title, strict } = one
  return {
    inputSchema: writeSchema(one),
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    ...(strict !== undefined && { strict }),
    ...(one.execute && {
      execute: (input: unknown, options: ToolExecutionOptions) =>
        one.execute?.(input, contextOf(name, input, options)),
      toModelOutput: ({ output }: { output: unknown }) => writeOutput(asAnswer(output)),
    }),
    ...(one.needsApproval && {
      needsApproval: async (input: unknown, options: Asking) =>
        (await one.needsApproval?.(input, approvalOf(name, input, options))) ?? false,
    }),
  }
}

function writeSchema(one: RunnableTool): Schema {
  const schema = {
    [SCHEMA]: true,
    _type: undefined,
    jsonSchema: one.inputSchema,
    async validate(value: unknown) {
      const checked = await checkArguments(one, isJsonObject(value) ? value : {})
      if (checked.ok) return { success: true, value: checked.input }
      return { success: false, error: new TypeError(checked.message) }
    },
  }
  // What `jsonSchema()` of the SDK makes; the symbol in its type cannot be named from outside.
  return schema as Partial<Schema> as Schema
}

type Asking = Pick<ToolExecutionOptions, 'toolCallId' | 'messages'>

function contextOf(name: string, input: unknown, options: ToolExecutionOptions): ToolContext {
  const { toolCallId, abortSignal = new AbortController().signal, messages } = options
  return {
    call: callOf(name, input, toolCallId),
    signal: abortSignal,
    key: toolCallId,
    get messages() {
      return fromModelMessages(messages)
    },
    // The SDK has no place for it but the values of an async iterable.
    progress() {},
  }
}

function approvalOf(
  name: string,
  input: unknown,
  { toolCallId, messages }: Asking,
): ApprovalContext {
  return { call: callOf(name, input, toolCallId), messages: fromModelMessages(messages) }
}

function callOf(name: string, input: unknown, id: string): ToolCall {
  return { id, name, arguments: isJsonObject(input) ? input : {}, origin: 'native' }
}
