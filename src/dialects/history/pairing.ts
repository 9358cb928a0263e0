/**
 * Calls and their results, brought together turn by turn. An id counts within its turn only: some models
 * use the same ones again in each turn.
 */
import type { Issue } from '../../core/issue.ts'
import type { Message, ToolCall, ToolResult } from '../../core/model.ts'
import { equalJson } from '../../core/schema/equal.ts'

type Report = ((issue: Issue) => void) | undefined

/** A result for a call that nobody answered. */
const MISSING = { content: 'no result was provided', isError: true, errorCode: 'missing_result' }

/**
 * Each assistant message with calls is followed at once by one message with a result for each of them;
 * what stood between them follows. Results that answer no call are dropped.
 */
export function pairResults(messages: readonly Message[], report?: Report): Message[] {
  const paired: Message[] = []
  for (let at = 0; at < messages.length; ) {
    const turn = turnAt(messages, at)
    paired.push(...pairTurn(turn, report))
    at += turn.length
  }
  return paired
}

/** An assistant message with all that follows it up to the next one, or what stands before the first. */
function turnAt(messages: readonly Message[], at: number): readonly Message[] {
  let end = at + 1
  while (end < messages.length && messages[end]?.role !== 'assistant') end++
  return messages.slice(at, end)
}

function pairTurn(turn: readonly Message[], report: Report): Message[] {
  const [first, ...rest] = turn
  if (!first) return []
  const isCall = first.role === 'assistant'
  const calls = isCall ? uniqueCalls(first.toolCalls ?? [], report) : []
  const followers = isCall ? rest : turn
  const given = followers.flatMap(({ toolResults = [] }) => toolResults)
  const others = followers.filter(({ role }) => role !== 'tool')
  const results = answersTo(calls, given, report)
  if (results.length > 0 && isInterrupted(followers)) {
    tell(report, 'moved-message', 'results were moved up to their calls', {})
  }
  const answer: Message[] =
    results.length > 0
      ? [{ role: 'tool', content: '', ...keptExtra(followers), toolResults: results }]
      : []
  return [...(isCall ? [withCalls(first, calls)] : []), ...answer, ...others]
}

/** Somebody speaks before the last results have come. */
function isInterrupted(followers: readonly Message[]): boolean {
  const other = followers.findIndex(({ role }) => role !== 'tool')
  return other !== -1 && followers.slice(other).some(({ role }) => role === 'tool')
}

function withCalls(message: Message, calls: readonly ToolCall[]): Message {
  const before = message.toolCalls ?? []
  if (before.length === calls.length) return message
  return { ...message, toolCalls: calls }
}

function keptExtra(followers: readonly Message[]): Pick<Message, 'extra'> {
  const [extra] = followers.flatMap((message) =>
    message.role === 'tool' && message.extra ? [message.extra] : [],
  )
  return extra ? { extra } : {}
}

/** The same call written twice under one id is one call; two calls that share an id stay two. */
function uniqueCalls(calls: readonly ToolCall[], report: Report): ToolCall[] {
  return calls.filter((call, at) => {
    const twin = calls.slice(0, at).find(({ id }) => id === call.id && id !== '')
    const repeats = twin && twin.name === call.name && equalJson(twin.arguments, call.arguments)
    if (repeats) tell(report, 'duplicate-dropped', `the call ${call.id} stands there twice`, call)
    return !repeats
  })
}

/** One result for each call; with several for one call the last counts. */
function answersTo(
  calls: readonly ToolCall[],
  given: readonly ToolResult[],
  report: Report,
): ToolResult[] {
  const left = [...given]
  const answered = new Map<ToolCall, ToolResult>()
  for (const call of calls) {
    const found = left.findIndex((result) => answers(result, call, calls))
    if (found !== -1) answered.set(call, ...(left.splice(found, 1) as [ToolResult]))
  }
  for (const result of left) {
    const call = calls.find(({ id }) => id === result.callId && id !== '')
    if (call) answered.set(call, result)
    tell(
      report,
      'dropped-result',
      call
        ? `${result.callId} was answered twice`
        : `nothing was asked that ${result.callId} answers`,
      result,
    )
  }
  for (const call of calls) {
    if (!answered.has(call))
      tell(report, 'missing-result', `the call ${call.id} has no result`, call)
  }
  // Where ids do not tell calls apart, the order does.
  if (new Set(calls.map(({ id }) => id)).size < calls.length) {
    return calls.map((call) => answerTo(call, answered.get(call)))
  }
  const order = [...answered].sort(
    ([, one], [, other]) => given.indexOf(one) - given.indexOf(other),
  )
  const missing = calls.filter((call) => !answered.has(call))
  return [
    ...order.map(([call, result]) => answerTo(call, result)),
    ...missing.map((call) => answerTo(call, undefined)),
  ]
}

function answerTo({ id, name }: ToolCall, result: ToolResult | undefined): ToolResult {
  return result ? { ...result, callId: id } : { callId: id, name, ...MISSING }
}

/** By id; where there are none, by name and order. */
function answers(result: ToolResult, call: ToolCall, calls: readonly ToolCall[]): boolean {
  if (result.callId !== '' && call.id !== '') return result.callId === call.id
  if (result.name !== undefined) return result.name === call.name
  return calls.length === 1
}

function tell(
  report: Report,
  code: Issue['code'],
  message: string,
  about: { readonly id?: string; readonly callId?: string; readonly name?: string },
): void {
  const callId = about.id ?? about.callId
  report?.({ code, message, ...(callId && { callId }), ...(about.name && { name: about.name }) })
}
