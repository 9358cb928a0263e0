/** An agent whose run is seen, with everything in it. */
import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  trace,
} from '@opentelemetry/api'
import { checkOptions as checkAgentOptions } from '../agent/check-options.ts'
import type { AgentEvent } from '../agent/events.ts'
import type { Hooks } from '../agent/hooks.ts'
import type { AgentOptions } from '../agent/options.ts'
import { readTools } from '../agent/read-tools.ts'
import type { AgentResult } from '../agent/result.ts'
import { type AgentRun, runAgent } from '../agent/run.ts'
import { hooksOf } from '../agent/run-context.ts'
import { errorCodeOf } from '../core/error-code.ts'
import type { Message, ToolCall } from '../core/model.ts'
import { usageAttributes } from './chat-span.ts'
import { inputMessages, outputMessages } from './content.ts'
import { providerName } from './provider-names.ts'
import { markFailed, type Scope } from './span-scope.ts'
import { createTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts'
import { traceClientIn } from './trace-client.ts'
import { traceRefusal, traceTool } from './trace-tool.ts'

export interface AgentTelemetryOptions extends TelemetryOptions {
  /** What the agent is called in traces. */
  readonly agentName?: string
}

/**
 * `runAgent` with a span `invoke_agent` for the run, and in it one for each request and each call.
 *
 * @example
 * const { text } = await runTracedAgent({ client, tools, prompt }, { agentName: 'harbour' }).result
 */
export function runTracedAgent(
  options: AgentOptions,
  telemetryOptions: AgentTelemetryOptions = {},
): AgentRun {
  checkAgentOptions(options)
  const telemetry = createTelemetry(telemetryOptions)
  const left = new AbortController()
  const span = createRunSpan(options, telemetryOptions.agentName, telemetry)
  const inner = runAgent({
    ...options,
    client: traceClientIn(options.client, telemetry, span),
    ...tracedTools(options, telemetry, span),
    signal: options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal,
  })
  let isAwaited = false
  let ended: Promise<AgentResult> | undefined

  /** The result is always watched, so leaving the events early is no longer seen by the run itself. */
  function watch(): Promise<AgentResult> {
    ended ??= context.with(span.start(), () => inner.result).then(span.succeed, span.fail)
    ended.catch(() => {})
    return ended
  }

  async function* follow(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void> {
    let isDone = false
    try {
      yield* events
      isDone = true
    } finally {
      if (!isDone && !isAwaited) left.abort(new DOMException('the events were left', 'AbortError'))
    }
  }

  return {
    [Symbol.asyncIterator]() {
      const events = context.with(span.start(), () => inner[Symbol.asyncIterator]())
      void watch()
      return follow({ [Symbol.asyncIterator]: () => events })
    },
    get result() {
      isAwaited = true
      return watch()
    },
  }
}

/** The tools, and a hook for calls that never come to one. */
function tracedTools(
  options: AgentOptions,
  telemetry: Telemetry,
  span: RunSpan,
): Pick<AgentOptions, 'tools' | 'hooks'> {
  const seen = new WeakSet<ToolCall>()
  const hook: Hooks = {
    beforeStep: ({ run }) => span.name(run),
    afterTool(call, result) {
      if (!seen.has(call)) traceRefusal(call, result, telemetry, span)
    },
  }
  const tools = readTools(options.tools ?? [])
  return {
    hooks: [hook, ...hooksOf(options)],
    tools: tools.map((tool) => traceTool(tool, telemetry, span, (call) => seen.add(call))),
  }
}

interface RunSpan extends Scope {
  /** Begins the span, once; the context of what happens in the run. */
  start(): Context
  /** The run has an id. */
  name(run: string): void
  succeed(result: AgentResult): AgentResult
  fail(error: unknown): never
}

function createRunSpan(
  options: AgentOptions,
  agentName: string | undefined,
  { tracer, captureContent }: Telemetry,
): RunSpan {
  let span: Span | undefined
  let inside: Context | undefined
  let conversation: Attributes = {}

  function start(): Context {
    if (inside) return inside
    const parent = context.active()
    const attributes = {
      ...agentAttributes(options, agentName),
      ...(captureContent && { 'gen_ai.input.messages': inputMessages(saidBy(options)) }),
    }
    const name = agentName === undefined ? 'invoke_agent' : `invoke_agent ${agentName}`
    span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent)
    inside = trace.setSpan(parent, span)
    return inside
  }

  return {
    start,
    parent: start,
    attributes: () => conversation,
    name(run) {
      conversation = { 'gen_ai.conversation.id': run }
    },
    succeed(result) {
      const { run, category, finishReason, usage, steps, text, message } = result
      span?.setAttributes({
        'gen_ai.conversation.id': run,
        'toolglot.finish_reason': finishReason,
        'toolglot.steps': steps,
        ...usageAttributes(usage),
        ...(captureContent && {
          'gen_ai.output.messages': outputMessages({ role: 'assistant', content: text }, 'stop'),
        }),
      })
      if (span && (category === 'fatal' || category === 'retryable')) {
        markFailed(span, finishReason, captureContent ? message : undefined)
      }
      span?.end()
      return result
    },
    fail(error) {
      if (span) markFailed(span, errorCodeOf(error) || '_OTHER', undefined)
      span?.end()
      throw error
    },
  }
}

function agentAttributes({ client }: AgentOptions, agentName: string | undefined): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': providerName(client.provider),
    'gen_ai.request.model': client.model,
    ...(agentName !== undefined && { 'gen_ai.agent.name': agentName }),
  }
}

function saidBy({ messages = [], prompt }: AgentOptions): readonly Message[] {
  return prompt === undefined ? messages : [...messages, { role: 'user', content: prompt }]
}
