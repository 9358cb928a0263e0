/**
 * Which results of a turn answer which of its calls. An id counts within its turn only: some models use
 * the same ones again in each turn.
 */
import type { Message, ToolCall, ToolResult } from './model.ts'
import { equalJson } from './schema/equal.ts'

/** A result for a call that nobody answered. */
const MISSING = { content: 'no result was provided', isError: true, errorCode: 'missing_result' }

/** Each assistant message with all that follows it up to the next one, after what comes before the first. */
export function turnsOf(messages: readonly Message[]): (readonly Message[])[] {
  const turns: (readonly Message[])[] = []
  for (let at = 0; at < messages.length; ) {
    let end = at + 1
    while (end < messages.length && messages[end]?.role !== 'assistant') end++
    turns.push(messages.slice(at, end))
    at = end
  }
  return turns
}

/** The same call written twice under one id is one call; two calls that share an id are two. */
export function isRepeated(call: ToolCall, before: readonly ToolCall[]): boolean {
  const twin = before.find(({ id }) => id === call.id && id !== '')
  return twin !== undefined && twin.name === call.name && equalJson(twin.arguments, call.arguments)
}

export interface PairedResults {
  /** Under the call that it answers; with several results for one call, the last. */
  readonly answered: ReadonlyMap<ToolCall, ToolResult>
  /** Results that lost their call to a later one. */
  readonly replaced: readonly ToolResult[]
  /** Results that answer no call of the turn. */
  readonly orphans: readonly ToolResult[]
}

export function pairTurnResults(
  calls: readonly ToolCall[],
  given: readonly ToolResult[],
): PairedResults {
  const left = [...given]
  const answered = new Map<ToolCall, ToolResult>()
  for (const call of calls) {
    const found = left.findIndex((result) => answers(result, call, calls))
    const [result] = found === -1 ? [] : left.splice(found, 1)
    if (result) answered.set(call, result)
  }
  const replaced: ToolResult[] = []
  const orphans = left.filter((result) => {
    const call = calls.find(({ id }) => id === result.callId && id !== '')
    const earlier = call && answered.get(call)
    if (!call || !earlier) return true
    replaced.push(earlier)
    answered.set(call, result)
    return false
  })
  return { answered, replaced, orphans }
}

/** The result under the id of its call; an error where there is none. */
export function answerTo({ id, name }: ToolCall, result: ToolResult | undefined): ToolResult {
  return result ? { ...result, callId: id } : { callId: id, name, ...MISSING }
}

/** By id; where there are none, by name and order. */
function answers(result: ToolResult, call: ToolCall, calls: readonly ToolCall[]): boolean {
  if (result.callId !== '' && call.id !== '') return result.callId === call.id
  if (result.name !== undefined) return result.name === call.name
  return calls.length === 1
}
