/** One request to a model as a span, with its measurements. */
import {
  type Attributes,
  type Context,
  createContextKey,
  SpanKind,
  trace,
} from '@opentelemetry/api'
import type { ChatClient, ClientRequest } from '../client/chat-client.ts'
import { ProviderError } from '../client/errors.ts'
import type { ChatResponse, Usage } from '../core/chat.ts'
import { errorCodeOf } from '../core/error-code.ts'
import type { ToolCall } from '../core/model.ts'
import { normalizeTools } from '../core/schema/tool.ts'
import { thrownMessage } from '../core/thrown-message.ts'
import {
  finishWord,
  inputMessages,
  outputMessages,
  systemInstructions,
  toolDefinitions,
} from './content.ts'
import { providerName } from './provider-names.ts'
import { markFailed, type Scope } from './span-scope.ts'
import type { Telemetry } from './telemetry.ts'

/** It ends once; what is said after that does not count. */
export interface ChatSpan {
  /** In which the request is to be sent. */
  readonly context: Context
  /** Something of the reply has come. */
  chunk(): void
  succeed(response: ChatResponse): void
  fail(error: unknown): void
  /** Nobody wants the rest of the reply. */
  leave(): void
}

/** A request that is passed on, as by a chain of clients, is measured where it is answered, and not twice. */
interface Passed {
  isOn: boolean
}
const PASSED = createContextKey('toolglot: the request that this one is part of')

export function startChat(
  client: ChatClient,
  request: ClientRequest,
  isStream: boolean,
  telemetry: Telemetry,
  scope: Scope,
): ChatSpan {
  const { captureContent, tracer } = telemetry
  const parent = scope.parent()
  const { toolMode } = client.capabilities
  const model = request.model ?? client.model
  const shared = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providerName(client.provider),
    'gen_ai.request.model': model,
  }
  const attributes = {
    ...scope.attributes(),
    ...shared,
    ...requestAttributes(request),
    ...(isStream && { 'gen_ai.request.stream': true }),
    ...(request.tools && { 'toolglot.tool_mode': toolMode }),
    ...(captureContent && requestContent(request)),
  }
  const span = tracer.startSpan(`chat ${model}`, { kind: SpanKind.CLIENT, attributes }, parent)
  const passed: Passed = { isOn: false }
  const inside = trace.setSpan(parent, span).setValue(PASSED, passed)
  // The cast: nobody else has the key.
  const outer = parent.getValue(PASSED) as Passed | undefined
  if (outer) outer.isOn = true
  const begun = performance.now()
  let isFirst = true
  let isOver = false

  function end(measured: Attributes): void {
    if (isOver) return
    isOver = true
    if (!passed.isOn) {
      telemetry.duration.record(secondsSince(begun), { ...shared, ...measured }, inside)
    }
    span.end()
  }

  return {
    context: inside,
    chunk() {
      if (!isFirst) return
      isFirst = false
      const seconds = secondsSince(begun)
      span.setAttribute('gen_ai.response.time_to_first_chunk', seconds)
      if (!passed.isOn) telemetry.firstChunk.record(seconds, shared, inside)
    },
    succeed(response) {
      if (isOver) return
      span.setAttributes(responseAttributes(response, toolMode === 'native'))
      if (captureContent) {
        const { message, finishReason } = response
        span.setAttribute('gen_ai.output.messages', outputMessages(message, finishReason))
      }
      const measured = response.model ? { 'gen_ai.response.model': response.model } : {}
      if (!passed.isOn) {
        countTokens(telemetry, response.usage, { ...shared, ...measured }, inside)
      }
      end(measured)
    },
    fail(error) {
      if (isOver) return
      const type = errorType(error)
      markFailed(span, type, captureContent ? messageOf(error) : undefined)
      end({ 'error.type': type })
    },
    leave: () => end({}),
  }
}

function requestAttributes(request: ClientRequest): Attributes {
  const { maxTokens, temperature, topP, stop, responseFormat } = request
  return {
    ...(maxTokens !== undefined && { 'gen_ai.request.max_tokens': maxTokens }),
    ...(temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
    ...(topP !== undefined && { 'gen_ai.request.top_p': topP }),
    ...(stop && { 'gen_ai.request.stop_sequences': [...stop] }),
    ...(responseFormat && {
      'gen_ai.output.type': responseFormat.type === 'text' ? 'text' : 'json',
    }),
  }
}

function requestContent({ messages, tools }: ClientRequest): Attributes {
  const system = systemInstructions(messages)
  return {
    'gen_ai.input.messages': inputMessages(messages),
    ...(system !== undefined && { 'gen_ai.system_instructions': system }),
    ...(tools && { 'gen_ai.tool.definitions': toolDefinitions(normalizeTools(tools)) }),
  }
}

function responseAttributes(response: ChatResponse, isNative: boolean): Attributes {
  const { id, model, finishReason, usage, issues, message } = response
  const { toolCalls = [] } = message
  // In text mode all calls are in the text, as they should be.
  const rescued = isNative ? toolCalls.find(({ origin }) => origin === 'text') : undefined
  return {
    ...(id !== undefined && { 'gen_ai.response.id': id }),
    ...(model !== undefined && { 'gen_ai.response.model': model }),
    'gen_ai.response.finish_reasons': [finishWord(finishReason)],
    ...usageAttributes(usage),
    ...(rescued?.protocol !== undefined && { 'toolglot.rescued.protocol': rescued.protocol }),
    ...repairAttributes(toolCalls),
    ...(issues.length > 0 && { 'toolglot.issues': codesOf(issues) }),
  }
}

export function usageAttributes(usage: Usage): Attributes {
  const counts: Readonly<Record<string, number | undefined>> = {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined))
}

/** What was mended in calls, each kind once. */
export function repairAttributes(calls: readonly ToolCall[]): Attributes {
  const repairs = calls.flatMap((call) => call.repairs ?? [])
  return repairs.length === 0 ? {} : { 'toolglot.repairs': codesOf(repairs) }
}

function codesOf(list: readonly { readonly code: string }[]): string[] {
  return [...new Set(list.map(({ code }) => code))]
}

function countTokens(
  { tokens }: Telemetry,
  { inputTokens, outputTokens }: Usage,
  attributes: Attributes,
  inside: Context,
): void {
  for (const [type, count] of Object.entries({ input: inputTokens, output: outputTokens })) {
    if (count === undefined) continue
    tokens.record(count, { ...attributes, 'gen_ai.token.type': type }, inside)
  }
}

function errorType(error: unknown): string {
  if (error instanceof ProviderError) return error.code
  return errorCodeOf(error) || '_OTHER'
}

function messageOf(error: unknown): string {
  return thrownMessage(error)
}

function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1000
}
