/** A tool whose calls are seen. */
import { type Attributes, type Context, context, SpanKind, trace } from '@opentelemetry/api'
import { asAnswer, errorAnswer, thrownAnswer } from '../agent/tool-output.ts'
import { errorCodeOf } from '../core/error-code.ts'
import type { ToolCall, ToolResult } from '../core/model.ts'
import type { RunnableTool, ToolContext } from '../tool.ts'
import { repairAttributes } from './chat-span.ts'
import { markFailed, type Scope } from './span-scope.ts'
import type { Telemetry } from './telemetry.ts'

type Outcome = Pick<ToolResult, 'content' | 'isError' | 'errorCode'>

interface ToolSpan {
  readonly context: Context
  end(outcome: Outcome): void
}

/** The tool with a span around each attempt at a call, which is the parent of what happens in it. */
export function traceTool(
  tool: RunnableTool,
  telemetry: Telemetry,
  scope: Scope,
  onStart: (call: ToolCall) => void,
): RunnableTool {
  if (!tool.execute) return tool

  async function execute(input: unknown, given: ToolContext): Promise<unknown> {
    const { call, signal } = given
    onStart(call)
    const span = startTool(call, tool, telemetry, scope)
    // Nobody waits for a tool that goes on after that.
    const onAbort = (): void => span.end(abortedAnswer(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const value = await context.with(span.context, () => tool.execute?.(input, given))
      if (isAsyncIterable(value)) return watch(value, span)
      span.end(asAnswer(value))
      return value
    } catch (error) {
      span.end(thrownAnswer(error))
      throw error
    }
  }

  return { ...tool, execute }
}

/** A call that was answered without its tool: refused, or not to be understood. */
export function traceRefusal(
  call: ToolCall,
  result: Outcome,
  telemetry: Telemetry,
  scope: Scope,
): void {
  startTool(call, undefined, telemetry, scope).end(result)
}

function startTool(
  call: ToolCall,
  tool: RunnableTool | undefined,
  { tracer, captureContent }: Telemetry,
  scope: Scope,
): ToolSpan {
  const parent = scope.parent()
  const attributes: Attributes = {
    ...scope.attributes(),
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.name,
    'gen_ai.tool.call.id': call.id,
    'gen_ai.tool.type': 'function',
    ...(tool?.description !== undefined && { 'gen_ai.tool.description': tool.description }),
    ...repairAttributes([call]),
    ...(captureContent && { 'gen_ai.tool.call.arguments': JSON.stringify(call.arguments) }),
  }
  const options = { kind: SpanKind.INTERNAL, attributes }
  const span = tracer.startSpan(`execute_tool ${call.name}`, options, parent)
  return {
    context: trace.setSpan(parent, span),
    end({ content, isError, errorCode = '_OTHER' }) {
      if (!span.isRecording()) return
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      if (captureContent) span.setAttribute('gen_ai.tool.call.result', text)
      if (isError) markFailed(span, errorCode, captureContent ? text : undefined)
      span.end()
    },
  }
}

function abortedAnswer({ reason }: AbortSignal): Outcome {
  return errorAnswer(String(reason), errorCodeOf(reason) || 'Canceled')
}

/** The values of a tool that tells its progress; the last one is its result. */
async function* watch(values: AsyncIterable<unknown>, span: ToolSpan): AsyncGenerator<unknown> {
  const iterator = values[Symbol.asyncIterator]()
  let last: unknown
  try {
    while (true) {
      const { done, value } = await context.with(span.context, () => iterator.next())
      if (done) {
        span.end(asAnswer(value ?? last))
        return value
      }
      last = value
      yield value
    }
  } catch (error) {
    span.end(thrownAnswer(error))
    throw error
  } finally {
    await iterator.return?.()
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
