/** What is asked of the model, and what must be known to read its reply. */
import type { ResponseFormat, ToolChoice } from '../core/chat.ts'
import { createHeard } from '../core/heard.ts'
import type { JsonSchema, Tool } from '../core/model.ts'
import type { ExtractOptions } from '../extract.ts'
import { writeTextRequest } from '../prompt/text-request.ts'
import { allowedTools } from '../prompt/tool-choice.ts'
import { getProtocol } from '../protocols/registry.ts'
import { mergeReading } from '../reading-options.ts'
import type { CallOptions, Model, Prompt, Warning } from './language-model.ts'
import { fromModelMessages } from './messages.ts'
import type { MiddlewareOptions } from './middleware-options.ts'
import { toPrompt } from './prompt.ts'

export interface CallPlan {
  readonly params: CallOptions
  readonly extraction: ExtractOptions
  readonly listeners: Pick<MiddlewareOptions, 'onIssue' | 'onRepair'>
  /** What cannot be said in words. */
  readonly warnings: readonly Warning[]
}

export type CallMode = 'rescue' | 'text'

export function planCall(
  mode: CallMode,
  { modelId }: Pick<Model, 'modelId'>,
  params: CallOptions,
  options: MiddlewareOptions,
): CallPlan {
  const { model = modelId, generateId, reasoning = 'split', allowUnknownTools = false } = options
  const tools = allowedTools(toolsOf(params), choiceOf(params))
  const { prompt } = params
  const said = { usedIds: idsIn(prompt), heard: createHeard(prompt) }
  const settings = { model, reasoning, allowUnknownTools, ...said }
  const shared = { ...settings, ...(generateId && { ids: generateId }) }
  const plan = mode === 'text' ? planText(params, model, options) : planRescue(params, options)
  return {
    ...plan,
    listeners: options,
    extraction:
      tools.length > 0
        ? { ...shared, ...plan.extraction, tools }
        : { ...shared, capabilities: { selfContainedTools: true } },
  }
}

function planRescue(params: CallOptions, options: MiddlewareOptions): Planned {
  const wantsJson = params.responseFormat?.type === 'json'
  return {
    params,
    warnings: [],
    extraction: {
      ...mergeReading(options),
      // The reply is to be JSON, so JSON in it is no call.
      ...(wantsJson && { rawJson: 'off' as const }),
    },
  }
}

type Planned = Pick<CallPlan, 'params' | 'extraction' | 'warnings'>

function planText(params: CallOptions, model: string, options: MiddlewareOptions): Planned {
  const { protocol: format = 'text-tagged', compact } = options
  const protocol = typeof format === 'string' ? getProtocol(format) : format
  const { tools = [], toolChoice: _, responseFormat, prompt, ...rest } = params
  const written = writeTextRequest(
    {
      model,
      messages: fromModelMessages(prompt),
      tools: toolsOf(params),
      ...optional('toolChoice', choiceOf(params)),
      ...optional('responseFormat', formatOf(params)),
    },
    { protocol, compact },
  )
  return {
    params: {
      ...rest,
      prompt: toPrompt(written.messages),
      ...(written.responseFormat && optional('responseFormat', responseFormat)),
    },
    extraction: { ...mergeReading(options), expect: protocol },
    warnings: tools.flatMap((tool) => (tool.type === 'provider' ? [unsupported(tool.name)] : [])),
  }
}

function unsupported(name: string): Warning {
  const details = 'the tools of a provider cannot be described in words'
  return { type: 'unsupported', feature: `provider tool "${name}" in text mode`, details }
}

function toolsOf({ tools = [] }: CallOptions): Tool[] {
  return tools.flatMap((tool) => {
    if (tool.type !== 'function') return []
    const { name, description, inputSchema, strict } = tool
    // JSON Schema is JSON; its type names the keywords and so has no index.
    const schema = inputSchema as JsonSchema
    return [
      {
        name,
        inputSchema: schema,
        ...optional('description', description),
        ...optional('strict', strict),
      },
    ]
  })
}

function choiceOf({ toolChoice }: CallOptions): ToolChoice | undefined {
  return toolChoice?.type === 'tool' ? { name: toolChoice.toolName } : toolChoice?.type
}

function formatOf({ responseFormat: format }: CallOptions): ResponseFormat | undefined {
  if (format?.type !== 'json') return undefined
  if (!format.schema) return { type: 'json' }
  // As above.
  const schema = format.schema as JsonSchema
  return { type: 'json-schema', schema, ...optional('name', format.name) }
}

function idsIn(prompt: Prompt): string[] {
  return prompt.flatMap(({ role, content }) =>
    role === 'assistant'
      ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  )
}

function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  // A computed key is any string to the compiler.
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value }
}
