/** Runs one call: with a time limit, cancellation, progress and further attempts. */
import { pause } from '../client/watch.ts'
import type { RunnableTool, ToolContext } from '../tool.ts'
import type { AgentToolContext } from './run-context.ts'
import {
  type Answer,
  asAnswer,
  errorAnswer,
  isToolOutput,
  type RunEnd,
  ToolOutput,
  thrownAnswer,
} from './tool-output.ts'

export interface ToolRun {
  readonly tool: RunnableTool
  readonly input: unknown
  readonly context: Omit<AgentToolContext, 'signal'>
  /** Cancels the run. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** True after a crash in which nothing is known of the end of the call. */
  readonly wasStarted: boolean
}

export interface Outcome {
  readonly answer: Answer
  readonly end?: RunEnd | undefined
}

/** Failures that may pass. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'Timeout',
  'NetworkTimeout',
  'NetworkError',
  'DNSError',
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EPIPE',
  'EAGAIN',
])

/** A timer set for longer goes off at once, and `Infinity` is how many say that there is no limit. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5000

/** Never rejects: what goes wrong is an error result. */
export async function runTool(run: ToolRun): Promise<Outcome> {
  const { tool, signal } = run
  const attempts = 1 + (tool.retries ?? 0)
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(run)
    const { isError, errorCode = '' } = outcome.answer
    const isFinal = !isError || !TRANSIENT.has(errorCode) || attempt >= attempts
    if (isFinal || signal.aborted) return outcome
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
    await pause(delay, signal).catch(() => {})
  }
}

async function tryOnce(run: ToolRun): Promise<Outcome> {
  const { tool, signal, timeoutMs } = run
  const limit = new AbortController()
  const expire = (): void => limit.abort(new TimedOut(tool.name, timeoutMs))
  const timer = setTimeout(expire, Math.min(timeoutMs, LONGEST_TIMER_MS))
  const both = AbortSignal.any([signal, limit.signal])
  try {
    const value = await orAborted(both, (aborted) =>
      execute(run, { ...run.context, signal: aborted }),
    )
    return { answer: asAnswer(value), end: isToolOutput(value) ? value.end : undefined }
  } catch (error) {
    if (limit.signal.aborted && error === limit.signal.reason)
      return { answer: thrownAnswer(error) }
    if (signal.aborted) return { answer: errorAnswer(`${tool.name} was cancelled`, 'Canceled') }
    return { answer: thrownAnswer(error) }
  } finally {
    clearTimeout(timer)
  }
}

class TimedOut extends Error {
  override readonly name = 'TimeoutError'
  readonly errorCode = 'Timeout'

  constructor(tool: string, timeoutMs: number) {
    super(`tool call '${tool}' timed out after ${timeoutMs} ms`)
  }
}

/** The value, or the reason of the signal as soon as it aborts: a tool that ignores it is not waited for. */
function orAborted<Value>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise<Value>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work(signal)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}

async function execute(
  { tool, input, wasStarted }: ToolRun,
  context: ToolContext,
): Promise<unknown> {
  if (wasStarted) {
    const known = await recover(tool, input, context)
    if (known !== undefined) return known
  }
  return lastOf(await tool.execute?.(input, context), context)
}

/** What came of a call that was begun before a crash; undefined: it may be run. */
async function recover(tool: RunnableTool, input: unknown, context: ToolContext): Promise<unknown> {
  if (tool.recover) return tool.recover(input, context)
  if (mayRunAgain(tool)) return undefined
  return interrupted(tool.name)
}

/** For a call that the process began, and of whose end nothing is known. */
export function interrupted(name: string): ToolOutput {
  return new ToolOutput(`the process ended while ${name} ran; ${MAY_HAVE_TAKEN_EFFECT}`, {
    errorCode: 'Interrupted',
  })
}

export const MAY_HAVE_TAKEN_EFFECT =
  'it may or may not have taken effect. Find out before you call it again.'

/** True when nothing happens twice if a call does. */
export function mayRunAgain({ annotations }: RunnableTool): boolean {
  return annotations?.idempotent === true || annotations?.readOnly === true
}

/** Of an async iterable the last value counts; the others tell how far it is. */
async function lastOf(value: unknown, context: ToolContext): Promise<unknown> {
  if (!isAsyncIterable(value)) return value
  const iterator = value[Symbol.asyncIterator]()
  let last: unknown
  let isFirst = true
  while (true) {
    const { done, value: next } = await iterator.next()
    if (done) return next === undefined ? last : next
    if (!isFirst) context.progress(last)
    last = next
    isFirst = false
    context.signal.throwIfAborted()
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
