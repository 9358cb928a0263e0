/** What is sent for a request, and what must be known to read the answer. */
import type { ChatRequest } from '../core/chat.ts'
import type { Quirks } from '../core/dialect.ts'
import { createHeard } from '../core/heard.ts'
import type { Issue } from '../core/issue.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import type { Message, Tool } from '../core/model.ts'
import type { Protocol } from '../core/protocol.ts'
import { runSteps, runStepsApart } from '../core/steps.ts'
import type { NameMap } from '../dialects/history/names.ts'
import { getDialect } from '../dialects/registry.ts'
import { withToolKinds } from '../dialects/tool-kinds.ts'
import { encodingSteps } from '../dialects/transcode.ts'
import { writeTextRequest } from '../prompt/text-request.ts'
import { allowedTools } from '../prompt/tool-choice.ts'
import type { Provider, ProviderDialect, Route } from '../providers/provider.ts'
import type { ReadingOptions } from '../reading-options.ts'
import { type CallView, createCallView } from './call-view.ts'
import { type ExtraBody, withExtraBody } from './extra-body.ts'
import { letOthersRun } from './let-others-run.ts'
import type { RescueOptions } from './rescue.ts'
import { fitChoice } from './tool-choice.ts'

export interface PlanOptions {
  readonly mode: 'native' | 'text'
  readonly stream: boolean
  readonly route: Route
  readonly protocol: Protocol
  readonly compact?: boolean | 'auto' | undefined
  /** In text mode, how many characters the list of tools may take. */
  readonly toolListChars?: number | undefined
  /** What the service does differently from its dialect. */
  readonly quirks: Quirks
  /** Fields of the body that the provider's settings say. */
  readonly fields?: JsonObject | undefined
  /** Fields of the body that the caller's options say. */
  readonly extra?: ExtraBody | undefined
  readonly fetch?: typeof fetch | undefined
  /** False: calls in the text stay there, unless the model can make no others. */
  readonly rescue?: boolean | undefined
  readonly reading?: ReadingOptions | undefined
  readonly textFallback?: boolean | undefined
  readonly limit?: ReplyLimit | undefined
}

/** The limit of the reply to one request, over all of its attempts. */
export interface ReplyLimit {
  /** What the service has room for, once it has said so. */
  most?: number | undefined
  /** What the request asks for. */
  asked?: number | undefined
  /** What the service counts as the prompt. */
  prompt?: JsonValue
}

export interface RequestPlan {
  readonly model: string
  readonly mode: 'native' | 'text'
  readonly route: Route
  readonly dialect: ProviderDialect
  readonly body: JsonObject
  /** The conversation as the caller has it. */
  readonly messages: readonly Message[]
  /** How the caller sees the calls of the reply; undefined for as they come. */
  readonly view: CallView | undefined
  /** Names of tools that take text, as the provider was sent them. */
  readonly freeform: ReadonlySet<string> | undefined
  /** Whether the provider is sent tools. */
  readonly sendsTools: boolean
  readonly sendsReasoning: boolean
  /** Whether text mode may be used when the model refuses tools. */
  readonly textFallback: boolean
  /** How calls in the text of the answer are found. */
  readonly rescue: RescueOptions
  /** How long a reply the request may still ask for; a refusal lowers it. */
  readonly limit: ReplyLimit
  /** What could not be said. */
  readonly issues: readonly Issue[]
  /** What sends it, when that is not the client's own. */
  readonly fetch: typeof fetch | undefined
}

export async function planRequest(
  request: ChatRequest,
  options: PlanOptions,
): Promise<RequestPlan> {
  const { mode, stream, route, protocol, compact, toolListChars } = options
  const issues: Issue[] = []
  const report = (issue: Issue): void => {
    // What the wire format demands takes nothing away from the request.
    if (issue.code !== 'added-field') issues.push(issue)
  }
  const { fields: own } = options.quirks
  const { toolKinds = [] } = route.capabilities
  const quirks = {
    toolKinds,
    ...options.quirks,
    fields: { ...route.quirks?.fields, ...options.fields, ...own },
  }
  const dialect = dialectOf(route)
  const written =
    mode === 'text'
      ? writeTextRequest(withToolKinds(request), { protocol, compact, toolListChars, report })
      : fitChoice(request, quirks)
  const steps = encodingSteps({ ...written, stream }, dialect, { quirks, report })
  const isApart = isLong(request)
  if (isApart) await letOthersRun()
  const { body, names } = isApart ? await runStepsApart(steps, letOthersRun) : runSteps(steps)
  const isRenamed = mode === 'native' && names && !names.isSame
  const isRescued = mode === 'text' || options.rescue !== false
  const tools = isRescued ? allowedTools(request.tools ?? [], request.toolChoice) : []
  return {
    model: request.model,
    mode,
    route,
    dialect,
    body: options.extra ? withExtraBody(body, options.extra) : body,
    messages: request.messages,
    view: createCallView(request.tools ?? [], isRenamed ? names : undefined),
    freeform: freeformNames(request, isRenamed ? names : undefined),
    sendsTools: mode === 'native' && (written.tools?.length ?? 0) > 0,
    sendsReasoning: written.reasoning !== undefined,
    textFallback: options.textFallback ?? true,
    rescue: {
      tools: isRenamed ? tools.map((tool) => renamed(tool, names)) : tools,
      model: request.model,
      reading: options.reading,
      expect: mode === 'text' ? protocol : undefined,
      usedIds: idsIn(request),
      heard: createHeard(request.messages),
      textOnly: mode === 'text',
    },
    limit: options.limit ?? {},
    issues,
    fetch: options.fetch,
  }
}

/** Each step over so many messages, calls, results and parts takes some milliseconds. */
const LONG_HISTORY = 5000

function isLong({ messages }: ChatRequest): boolean {
  let length = 0
  for (const { content, toolCalls = [], toolResults = [] } of messages) {
    length += 1 + toolCalls.length + toolResults.length
    if (typeof content !== 'string') length += content.length
    if (length > LONG_HISTORY) return true
  }
  return false
}

export function dialectOf({ dialect }: Route): ProviderDialect {
  return typeof dialect === 'string' ? getDialect(dialect) : dialect
}

/** The first of the provider's routes that is for this model; what it does not say is as usual. */
export function routeOf(provider: Provider, model: string): Route {
  const { dialect, paths, capabilities, quirks } = provider
  const usual = { dialect, paths, capabilities, ...(quirks && { quirks }) }
  const own = provider.routes?.find(({ models }) => models.test(model))
  return own ? { ...usual, ...own } : usual
}

function freeformNames(
  { tools = [] }: ChatRequest,
  names: NameMap | undefined,
): ReadonlySet<string> | undefined {
  const texts = tools.filter(({ freeform }) => freeform)
  return texts.length > 0
    ? new Set(texts.map(({ name }) => names?.encode(name) ?? name))
    : undefined
}

function renamed(tool: Tool, names: NameMap): Tool {
  return { ...tool, name: names.encode(tool.name) }
}

function idsIn({ messages }: ChatRequest): string[] {
  return messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
}
