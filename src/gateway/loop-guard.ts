/** Agents that make the same call again and again, and get the same result each time. */
import type { ChatRequest } from '../core/chat.ts'
import type { Dialect } from '../core/dialect.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Message, ToolResult } from '../core/model.ts'
import { GatewayError } from './gateway-error.ts'
import type { Question } from './question.ts'

/** `warn`: loops are reported. `stop`: the model gets a note as well, and a loop that goes on is refused. */
export type LoopGuard = (typeof LOOP_GUARDS)[number]

export const LOOP_GUARDS: readonly ['off', 'warn', 'stop'] = ['off', 'warn', 'stop']

/** A call that was made with the same arguments and the same result in this run of the agent. */
export interface CallLoop {
  readonly tool: string
  readonly times: number
  /** The model gets a note about the loop. */
  readonly isNoted: boolean
}

/** So often a call may be repeated: to wait for something, or after a result that was not understood. */
export const LOOP_TIMES = 4
/** After as many notes as that again, the model does not listen. */
export const REFUSED_TIMES: number = 2 * LOOP_TIMES
/** The end of a history that is looked at: a loop shows there, whatever came before. */
const TAIL_ITEMS = 96

/**
 * The loop that a question is a part of. Throws when it has gone on for too long and is to be stopped.
 *
 * @throws GatewayError
 */
export function guardedLoop(question: Question, guard: LoopGuard): CallLoop | undefined {
  const { endpoint, body, sight } = question
  if (guard === 'off' || sight.tools === 0) return undefined
  const tail = tailOf(body, endpoint.dialect)
  const found = tail && loopIn(messagesOf(tail, endpoint.dialect))
  if (!found || found.times < LOOP_TIMES) return undefined
  if (guard === 'stop' && found.times >= REFUSED_TIMES) throw stopped(found)
  return { ...found, isNoted: guard === 'stop' }
}

function stopped({ tool, times }: Pick<CallLoop, 'tool' | 'times'>): GatewayError {
  const message = `the call of ${JSON.stringify(tool)} was made ${times} times with the same arguments and the same result; the loop guard of this gateway ends the run (loopGuard)`
  return new GatewayError('call_loop', message)
}

/** A body with the end of its history alone; undefined when that is too short for a loop. */
function tailOf(body: JsonObject, { rules: { field } }: Dialect): JsonObject | undefined {
  const history = body[field]
  if (!Array.isArray(history) || history.length < LOOP_TIMES) return undefined
  const { tools: _, functions: __, ...rest } = body
  return { ...rest, [field]: history.slice(-TAIL_ITEMS) }
}

/** What cannot be read has no loop: the question itself is checked elsewhere. */
function messagesOf(body: JsonObject, dialect: Dialect): readonly Message[] {
  try {
    return dialect.decodeRequest(body).messages
  } catch {
    return []
  }
}

/** The call of the last turn that was made most often since the assistant last spoke without calls. */
function loopIn(messages: readonly Message[]): Pick<CallLoop, 'tool' | 'times'> | undefined {
  const results = new Map<string, ToolResult>()
  const counts = new Map<string, number>()
  let last: readonly (readonly [tool: string, call: string])[] | undefined
  for (let at = messages.length - 1; at >= 0; at--) {
    const { role, toolCalls = [], toolResults = [] } = messages[at] ?? NOTHING
    for (const result of toolResults) results.set(result.callId, result)
    if (role !== 'assistant') continue
    if (toolCalls.length === 0) break
    const calls = toolCalls.flatMap(({ id, name, arguments: args }) => {
      const result = results.get(id)
      if (!result) return []
      return [[name, JSON.stringify([name, args, result.content])] as const]
    })
    // Calls side by side are one repetition.
    for (const call of new Set(calls.map(([, call]) => call))) {
      counts.set(call, (counts.get(call) ?? 0) + 1)
    }
    last ??= calls
    // The ids of an earlier turn may be the same.
    results.clear()
  }
  const loops = (last ?? []).map(([tool, call]) => ({ tool, times: counts.get(call) ?? 0 }))
  return loops.sort((one, other) => other.times - one.times)[0]
}

const NOTHING: Pick<Message, 'role' | 'toolCalls' | 'toolResults'> = { role: 'user' }

/** The request with a note to the model at the last result, where every template has a place for text. */
export function withLoopNote(request: ChatRequest, loop: CallLoop | undefined): ChatRequest {
  const at = request.messages.findLastIndex(({ toolResults = [] }) => toolResults.length > 0)
  const message = request.messages[at]
  if (!loop?.isNoted || !message) return request
  const results = message.toolResults ?? []
  const noted = results.map((result, index) =>
    index === results.length - 1 ? withNote(result, noteOf(loop)) : result,
  )
  const { extra: _, ...own } = message
  const messages = request.messages.with(at, { ...own, toolResults: noted })
  return { ...request, messages }
}

function withNote(result: ToolResult, note: string): ToolResult {
  const { content } = result
  if (typeof content === 'string') return { ...result, content: `${content}\n\n${note}` }
  return { ...result, content: [...content, { type: 'text', text: note }] }
}

function noteOf({ tool, times }: CallLoop): string {
  return `[Note of the gateway: the call of ${tool} was made ${times} times with the same arguments and the same result. Do not make it again. Do something else, or answer in words what is missing.]`
}
