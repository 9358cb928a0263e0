/** The order of turns as a dialect wants it. */
import type { HistoryRules } from '../../core/dialect.ts'
import type { Issue } from '../../core/issue.ts'
import { joinedContent } from '../../core/joined-content.ts'
import { isJsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, ToolResult } from '../../core/model.ts'
import { readMarkedCall } from '../../core/native/call.ts'
import { OpenList } from '../../core/open-list.ts'
import { runsOf } from '../../core/runs.ts'
import { ownFields } from '../request-fields.ts'
import { isSilent } from './content.ts'
import { foldSystemMessages, neutralTalk } from './system-messages.ts'

type Report = ((issue: Issue) => void) | undefined

/** What a user says who says nothing; an empty text is refused. */
const NOTHING_SAID = '(continue)'
const BRIDGE = 'Understood.'

/** Turns of the assistant that broke off are left out, with what was answered to their calls. */
export function dropAborted(messages: readonly Message[], report?: Report): Message[] {
  let isInside = false
  return messages.filter(({ role, isAborted = false }) => {
    if (role === 'assistant') isInside = isAborted
    const isLost = isInside && (role === 'assistant' || role === 'tool')
    const what = role === 'tool' ? 'the results of a turn' : 'a turn'
    if (isLost) report?.({ code: 'moved-message', message: `${what} that broke off was left out` })
    return !isLost
  })
}

/** Messages that say nothing are left out. What they keep for the dialect itself is something. */
export function dropEmpty(
  messages: readonly Message[],
  dialect?: string,
  report?: Report,
): Message[] {
  return messages.filter(({ role, content, toolCalls = [], toolResults = [], extra }) => {
    if (role === 'tool') return toolResults.length > 0
    const kept = dialect === undefined ? undefined : extra?.[dialect]?.['content']
    if (toolCalls.length > 0 || !isSilent(content)) return true
    if (Array.isArray(kept) && kept.some(isSomething)) return true
    // Nobody else will see what it keeps for other dialects.
    if (dialect !== undefined) ownFields(dialect, extra, { report })
    return false
  })
}

/** A call that the message does not have was cut off, and is not sent again. */
function isSomething(block: JsonValue): boolean {
  if (!isJsonObject(block) || readMarkedCall(block)) return false
  const { type: _, text, ...rest } = block
  return Object.keys(rest).length > 0 || typeof text !== 'string' || text.trim() !== ''
}

/** Brings messages into an order that the dialect takes. */
export function orderTurns(
  messages: readonly Message[],
  rules: HistoryRules,
  report?: Report,
  dialect?: string,
): Message[] {
  let ordered = [...messages]
  if (rules.resultsInOrder)
    ordered = ordered.map((message, at) => inOrder(message, ordered[at - 1]))
  if (rules.systemOnTop) ordered = foldSystemMessages(ordered, neutralTalk(rules, dialect), report)
  if (rules.startsWithUser) ordered = beginWithUser(ordered, report)
  if (rules.bridgeAfterResults)
    ordered = ordered.flatMap((message, at) => bridged(ordered[at - 1], message))
  if (rules.alternates) ordered = mergeNeighbours(ordered, dialect)
  return ordered
}

function inOrder(message: Message, before: Message | undefined): Message {
  const { toolResults } = message
  if (!toolResults) return message
  const open = new OpenList<ToolResult>()
  const byCall = open.index<string>()
  for (const result of toolResults) byCall.add(result.callId, open.add(result))
  const sorted = (before?.toolCalls ?? []).flatMap(({ id }) => {
    const at = byCall.first(id)
    return at === undefined ? [] : (open.take(at) ?? [])
  })
  return { ...message, toolResults: [...sorted, ...open.left()] }
}

function beginWithUser(messages: readonly Message[], report: Report): Message[] {
  const top = messages.findIndex(({ role }) => role !== 'system')
  if (top !== -1 && messages[top]?.role === 'user') return [...messages]
  report?.({
    code: 'moved-message',
    message: 'a first message of the user was added',
    level: 'info',
  })
  const at = top === -1 ? messages.length : top
  return [...messages.slice(0, at), { role: 'user', content: NOTHING_SAID }, ...messages.slice(at)]
}

function bridged(before: Message | undefined, message: Message): Message[] {
  const needed = before?.role === 'tool' && message.role !== 'assistant'
  return needed ? [{ role: 'assistant', content: BRIDGE }, message] : [message]
}

/** Neighbours of one role become one message. Results stay apart: each dialect knows where they go. */
function mergeNeighbours(messages: readonly Message[], dialect: string | undefined): Message[] {
  return runsOf(messages, (run, message) => canMerge(run, message, dialect)).flatMap(joined)
}

/** Calls end a message: what follows them can only be their results. Content kept as it came stays. */
function canMerge(run: readonly Message[], message: Message, dialect: string | undefined): boolean {
  const [first, last] = [run[0], run.at(-1)]
  if (message.role === 'tool' || first?.role !== message.role) return false
  const isKept = ({ extra }: Message) => (dialect === undefined ? extra : extra?.[dialect])
  return !isKept(first) && !isKept(message) && !last?.toolCalls?.length
}

function joined(run: readonly Message[]): readonly Message[] {
  const [first] = run
  if (!first || run.length === 1) return run
  const said = run.map(({ content }) => content).filter((content) => content !== '')
  const toolCalls = run.at(-1)?.toolCalls
  return [{ ...first, content: joinedContent(said), ...(toolCalls && { toolCalls }) }]
}
