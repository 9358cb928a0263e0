/** Calls and their results, brought together turn by turn. */
import type { Issue } from '../../core/issue.ts'
import { joinedContent, partsOf } from '../../core/joined-content.ts'
import type { Message, ToolCall, ToolResult } from '../../core/model.ts'
import { labelledResultText } from '../../core/result-text.ts'
import { answerTo, distinctCalls, pairTurnResults, turnsOf } from '../../core/turn-results.ts'

type Report = ((issue: Issue) => void) | undefined

/**
 * Each assistant message with calls is followed at once by one message with a result for each of them;
 * what was between them follows. Results that answer no call become text of the user, at their place.
 */
export function pairResults(messages: readonly Message[], report?: Report): Message[] {
  return turnsOf(messages).flatMap((turn) => pairTurn(turn, report))
}

function pairTurn(turn: readonly Message[], report: Report): Message[] {
  const [first, ...rest] = turn
  if (!first) return []
  const isCall = first.role === 'assistant'
  const calls = isCall
    ? distinctCalls(first.toolCalls ?? [], (call) =>
        tell(report, 'duplicate-dropped', `the call ${call.id} stands there twice`, call),
      )
    : []
  const followers = isCall ? rest : turn
  const given = followers.flatMap(({ toolResults = [] }) => toolResults)
  const { results, orphans } = answersTo(calls, given, report)
  const others = followers.flatMap((message) =>
    message.role === 'tool' ? orphanText(message, orphans) : [message],
  )
  if (results.length > 0 && isInterrupted(followers)) {
    const message = 'results were moved up to their calls'
    report?.({ code: 'moved-message', message, level: 'info' })
  }
  const answer: Message[] =
    results.length > 0
      ? [{ role: 'tool', content: '', ...keptExtra(followers), toolResults: results }]
      : []
  return [...(isCall ? [withCalls(first, calls)] : []), ...answer, ...others]
}

/** What is left of a message with results when those that answer a call are elsewhere. */
function orphanText({ toolResults = [] }: Message, orphans: ReadonlySet<ToolResult>): Message[] {
  const left = toolResults.filter((result) => orphans.has(result))
  if (left.length === 0) return []
  return [{ role: 'user', content: joinedContent(left.map(orphanContent)) }]
}

/** Which tool a result came from, what it says, and the images and files in it. */
function orphanContent(result: ToolResult): Message['content'] {
  const { content } = result
  if (typeof content === 'string') return labelledResultText(result, 'orphan')
  const texts = content.filter(({ type }) => type === 'text')
  const others = content.filter(({ type }) => type !== 'text')
  const text = labelledResultText({ ...result, content: texts }, 'orphan')
  return others.length === 0 ? text : [...partsOf(text), ...others]
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

interface Answers {
  readonly results: readonly ToolResult[]
  /** Those that answer no call. */
  readonly orphans: ReadonlySet<ToolResult>
}

/** One result for each call; with several for one call the last counts. */
function answersTo(
  calls: readonly ToolCall[],
  given: readonly ToolResult[],
  report: Report,
): Answers {
  const { answered, replaced, orphans } = pairTurnResults(calls, given)
  for (const result of replaced) {
    tell(report, 'dropped-result', `${result.callId} was answered twice`, result)
  }
  for (const result of orphans) {
    const message = `${resultName(result)} became text of the user`
    report?.({ code: 'orphan-result', message, level: 'info', ...aboutResult(result) })
  }
  for (const call of calls) {
    if (!answered.has(call))
      tell(report, 'missing-result', `the call ${call.id} has no result`, call)
  }
  return { results: inOrder(calls, given, answered), orphans: new Set(orphans) }
}

function resultName({ callId, name }: ToolResult): string {
  const of = [name, callId].filter((known) => known !== undefined && known !== '').join(', ')
  return `a result that answers no call${of === '' ? '' : ` (${of})`}`
}

function inOrder(
  calls: readonly ToolCall[],
  given: readonly ToolResult[],
  answered: ReadonlyMap<ToolCall, ToolResult>,
): ToolResult[] {
  // Where ids do not tell calls apart, the order does.
  if (new Set(calls.map(({ id }) => id)).size < calls.length) {
    return calls.map((call) => answerTo(call, answered.get(call)))
  }
  const places = new Map(given.map((result, at) => [result, at]))
  const placeOf = (result: ToolResult): number => places.get(result) ?? -1
  const order = [...answered].sort(([, one], [, other]) => placeOf(one) - placeOf(other))
  const missing = calls.filter((call) => !answered.has(call))
  return [
    ...order.map(([call, result]) => answerTo(call, result)),
    ...missing.map((call) => answerTo(call, undefined)),
  ]
}

function tell(
  report: Report,
  code: Issue['code'],
  message: string,
  about: { readonly id?: string; readonly callId?: string; readonly name?: string },
): void {
  const { id: callId = about.callId, name } = about
  report?.({ code, message, ...aboutResult({ callId, name }) })
}

function aboutResult(about: {
  readonly callId?: string | undefined
  readonly name?: string | undefined
}): Pick<Issue, 'callId' | 'name'> {
  const { callId, name } = about
  return { ...(callId && { callId }), ...(name && { name }) }
}
