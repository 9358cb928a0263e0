/** One call of a tool of ours by an MCP client. */
import type { CallToolResult, ServerNotification } from '@modelcontextprotocol/sdk/types.js'
import { checkArguments } from '../agent/arguments.ts'
import { type Answer, errorAnswer, thrownAnswer } from '../agent/tool-output.ts'
import { runTool } from '../agent/tool-run.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { ToolCall } from '../core/model.ts'
import type { RunnableTool } from '../tool.ts'
import { encodeContent } from './content.ts'
import { CALL_KEY, ERROR_CODE } from './meta.ts'

export interface ServedCallOptions {
  /** Milliseconds a call may take, for tools that do not say. Default 600 000. */
  readonly timeoutMs?: number
  /** Asked for tools that need approval; without it, such a call is refused. */
  approve?(call: ToolCall): boolean | Promise<boolean>
}

/** What the SDK tells about a request, as far as it matters here. */
interface RequestExtra {
  readonly signal: AbortSignal
  readonly requestId: string | number
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
  sendNotification(notification: ServerNotification): Promise<void>
}

const TIMEOUT_MS = 600_000

/** Never rejects: what goes wrong with a call, its client's model is to read. */
export async function answerCall(
  tool: RunnableTool,
  args: JsonObject,
  extra: RequestExtra,
  options: ServedCallOptions,
): Promise<CallToolResult> {
  try {
    return encodeAnswer(await perform(tool, args, extra, options))
  } catch (error) {
    return encodeAnswer(thrownAnswer(error))
  }
}

async function perform(
  tool: RunnableTool,
  args: JsonObject,
  extra: RequestExtra,
  options: ServedCallOptions,
): Promise<Answer> {
  const call: ToolCall = {
    id: String(extra.requestId),
    name: tool.name,
    arguments: args,
    origin: 'native',
  }
  const checked = await checkArguments(tool, args)
  if (!checked.ok) return errorAnswer(checked.message, 'InvalidArgs')
  if (!(await isApproved(tool, checked.input, call, options))) {
    return errorAnswer(`nobody has approved this call of ${tool.name}`, 'NotApproved')
  }
  const { answer } = await runTool({
    tool,
    input: checked.input,
    context: { call, key: keyOf(extra), messages: [], progress: progressReporter(extra) },
    signal: extra.signal,
    timeoutMs: tool.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS,
    wasStarted: false,
  })
  return answer
}

async function isApproved(
  tool: RunnableTool,
  input: unknown,
  call: ToolCall,
  { approve }: ServedCallOptions,
): Promise<boolean> {
  const isNeeded = await tool.needsApproval?.(input, { call, messages: [] })
  return !isNeeded || ((await approve?.(call)) ?? false)
}

// A client that knows nothing of keys makes every call only once.
function keyOf({ _meta: meta }: RequestExtra): string {
  const given = meta?.[CALL_KEY]
  return typeof given === 'string' ? given : globalThis.crypto.randomUUID()
}

/** Progress as MCP wants it: a number that only grows, and words. */
function progressReporter({
  _meta: meta,
  sendNotification,
}: RequestExtra): (value: unknown) => void {
  const token = meta?.['progressToken']
  let last = 0
  return (value) => {
    if (typeof token !== 'string' && typeof token !== 'number') return
    const step = readProgress(value, last + 1)
    if (step.progress <= last) return
    last = step.progress
    const params = { progressToken: token, ...step }
    // A client that is gone needs no news.
    sendNotification({ method: 'notifications/progress', params }).catch(() => {})
  }
}

function readProgress(
  value: unknown,
  next: number,
): { progress: number; total?: number; message?: string } {
  if (!isJsonObject(value) || typeof value['progress'] !== 'number') {
    return {
      progress: next,
      message: typeof value === 'string' ? value : String(JSON.stringify(value)),
    }
  }
  const { total, message } = value
  return {
    progress: value['progress'],
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  }
}

function encodeAnswer({ content, isError, errorCode }: Answer): CallToolResult {
  if (!isError) return { content: encodeContent(content) }
  return {
    content: encodeContent(withCode(content, errorCode)),
    isError,
    ...(errorCode !== undefined && { _meta: { [ERROR_CODE]: errorCode } }),
  }
}

/** Models read the text only, so the code is in it as well. */
function withCode(content: Answer['content'], code = ''): Answer['content'] {
  if (typeof content !== 'string' || code === '' || content.includes(code)) return content
  return `${code}: ${content}`
}
