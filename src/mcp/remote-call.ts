/** One call of a server's tool, over a connection that is there. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Result } from '@modelcontextprotocol/sdk/types.js'
import { ToolOutput } from '../agent/tool-output.ts'
import { errorCodeOf } from '../core/error-code.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { ToolContext } from '../tool.ts'
import { decodeContent } from './content.ts'
import { CALL_KEY, ERROR_CODE } from './meta.ts'
import type { RemoteTool } from './remote-tools.ts'
import { loadSdk } from './sdk.ts'
import type { Session } from './session.ts'

export interface RemoteCall {
  readonly tool: RemoteTool
  readonly input: unknown
  readonly context: ToolContext
  /** Milliseconds without a sign of life. */
  readonly timeoutMs: number
}

interface CallParams extends Record<string, unknown> {
  readonly name: string
  readonly arguments: JsonObject
}

/** The longest a timer can wait: the time is kept here, as only we see the signs of life. */
const NO_TIMEOUT = 2 ** 31 - 1

/** Rejects when the call fails, not when the tool does. */
export async function callRemote(
  { client, progress }: Session,
  call: RemoteCall,
): Promise<unknown> {
  const { tool, input, context, timeoutMs } = call
  const limit = createLimit(context.signal, timeoutMs)
  const report = (value: unknown): void => {
    limit.extend()
    context.progress(value)
  }
  const listener = progress.listen(report)
  const params: CallParams = {
    name: tool.name,
    arguments: isJsonObject(input) ? input : {},
    _meta: { progressToken: listener.token, [CALL_KEY]: context.key },
  }
  try {
    const send = tool.isTask ? sendTask : sendCall
    // It came as JSON.
    return decodeResult((await send(client, params, limit.signal, report)) as JsonObject)
  } catch (error) {
    // Why it was given up says more than that it was.
    limit.signal.throwIfAborted()
    throw error
  } finally {
    listener.stop()
    limit.stop()
  }
}

interface Limit {
  readonly signal: AbortSignal
  extend(): void
  stop(): void
}

// A signal for this call only: the SDK never lets go of it, and the run's lives on.
function createLimit(signal: AbortSignal, timeoutMs: number): Limit {
  signal.throwIfAborted()
  const own = new AbortController()
  const onAbort = (): void => own.abort(signal.reason)
  const onTimeout = (): void => own.abort(new CallTimeout(timeoutMs))
  signal.addEventListener('abort', onAbort, { once: true })
  let timer = setTimeout(onTimeout, timeoutMs)
  return {
    signal: own.signal,
    extend() {
      clearTimeout(timer)
      timer = setTimeout(onTimeout, timeoutMs)
    },
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}

/** Nothing was heard of a call for too long. */
export class CallTimeout extends Error {
  override readonly name = 'TimeoutError'

  constructor(timeoutMs: number) {
    super(`nothing for ${timeoutMs} ms`)
  }
}

// Read without the SDK's own schema, which knows nothing of the kinds of content to come.
async function sendCall(client: Client, params: CallParams, signal: AbortSignal): Promise<Result> {
  const { ResultSchema } = await loadSdk(() => import('@modelcontextprotocol/sdk/types.js'))
  const options = { signal, timeout: NO_TIMEOUT }
  return client.request({ method: 'tools/call', params }, ResultSchema, options)
}

async function sendTask(
  client: Client,
  params: CallParams,
  signal: AbortSignal,
  report: (status: unknown) => void,
): Promise<Result> {
  const { tasks } = client.experimental
  const options = { signal, timeout: NO_TIMEOUT, task: {} }
  let taskId: string | undefined
  try {
    for await (const message of tasks.callToolStream(params, undefined, options)) {
      if (message.type === 'result') return message.result
      if (message.type === 'error') throw message.error
      taskId = message.task.taskId
      const { status, statusMessage } = message.task
      report({ status, ...(statusMessage !== undefined && { message: statusMessage }) })
    }
  } finally {
    // Giving up ends our questions after the task, not the task.
    if (signal.aborted && taskId) tasks.cancelTask(taskId).catch(() => {})
  }
  throw new Error('the task ended without a result')
}

/** What the tool said; an error of the tool is no exception, as it may have more to show than a message. */
function decodeResult(result: JsonObject): unknown {
  const content = decodeContent(result)
  if (result['isError'] !== true) return content
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return new ToolOutput(content, { isError: true, errorCode: codeOf(result, text) })
}

function codeOf({ _meta: meta }: JsonObject, text: string): string {
  const own = isJsonObject(meta) ? meta[ERROR_CODE] : undefined
  if (typeof own === 'string') return own
  // How servers built with the SDK say it.
  const isInvalid = text.startsWith('MCP error -32602: Input validation error')
  return isInvalid ? 'InvalidArgs' : errorCodeOf(text) || 'McpError:Tool'
}
