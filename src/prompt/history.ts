/** Conversations for models without tools: calls and results as text, the way a protocol writes them. */
import { joinedContent, partsOf } from '../core/joined-content.ts'
import type { Message, Part, ToolCall, ToolResult } from '../core/model.ts'
import type { Protocol, ResultPlace } from '../core/protocol.ts'
import { runsOf } from '../core/runs.ts'
import { answerTo, distinctCalls, pairTurnResults, turnsOf } from '../core/turn-results.ts'

/**
 * The same conversation without calls and results: the calls of a turn are part of the assistant's text, and
 * their results follow in a message of the user, in the order of the calls. Adjacent messages of the user
 * become one when results are among them, because the templates of many models want turns.
 */
export function renderHistory(messages: readonly Message[], protocol: Protocol): Message[] {
  const rendered = turnsOf(messages).flatMap((turn) => renderTurn(turn, protocol))
  return runsOf(rendered, belongsTo).flatMap(joined)
}

function belongsTo(run: readonly Rendered[], { message, isResult }: Rendered): boolean {
  const [first] = run
  if (first?.message.role !== 'user' || message.role !== 'user') return false
  // Messages of the user are joined only where there are results among them.
  return isResult || run.length > 1 || first.isResult
}

function joined(run: readonly Rendered[]): Message[] {
  const messages = run.map(({ message }) => message)
  const [first] = messages
  if (!first || messages.length === 1) return messages
  return [{ ...first, content: joinedContent(messages.map(({ content }) => content)) }]
}

interface Rendered {
  readonly message: Message
  readonly isResult: boolean
}

/** A turn of the assistant with what follows it, or what comes before the first. */
function renderTurn(turn: readonly Message[], protocol: Protocol): Rendered[] {
  const [first] = turn
  const isAssistant = first?.role === 'assistant'
  const followers = isAssistant ? turn.slice(1) : turn
  const calls = (isAssistant && first.toolCalls) || []
  const distinct = distinctCalls(calls)
  const given = followers.flatMap(({ toolResults = [] }) => toolResults)
  // A turn that broke off is left out before it is sent, and its results with it.
  const results = first?.isAborted ? [] : resultsInOrder(distinct, given)
  const aside = followers.flatMap(({ role, content }) => (role === 'tool' ? partsOf(content) : []))
  const said = [...results.flatMap((result) => renderResult(result, protocol)), ...aside]
  const others = followers.filter(({ role }) => role !== 'tool').map(withoutResults)
  return [
    ...(isAssistant ? [{ message: renderCalls(first, distinct, protocol), isResult: false }] : []),
    ...(said.length > 0
      ? [{ message: { role: 'user', content: oneContent(said) } as const, isResult: true }]
      : []),
    ...others.map((message) => ({ message, isResult: false })),
  ]
}

function renderCalls(message: Message, calls: readonly ToolCall[], protocol: Protocol): Message {
  if (calls.length === 0) return message
  // The provider's own form of the reply, in `extra`, has the calls as calls and cannot be sent again.
  const { toolCalls: _, toolResults: __, extra: ___, ...rest } = message
  const { length: of } = calls
  const texts = calls.map((call, at) => protocol.formatCall(call, { index: at + 1, of }))
  return { ...rest, content: withText(rest.content, texts.join('\n')) }
}

interface PlacedResult {
  readonly result: ToolResult
  readonly place: ResultPlace
}

/** One result for each call, in the order of the calls, and then those that answer none of them. */
function resultsInOrder(
  calls: readonly ToolCall[],
  given: readonly ToolResult[],
): readonly PlacedResult[] {
  const { answered, orphans } = pairTurnResults(calls, given)
  return [
    ...calls.map((call, at) => ({
      result: { ...answerTo(call, answered.get(call)), name: call.name },
      place: { index: at + 1, of: calls.length },
    })),
    ...orphans.map((result) => ({ result, place: 'orphan' as const })),
  ]
}

/** The text, then the images and files that a text can only name. */
function renderResult({ result, place }: PlacedResult, protocol: Protocol): readonly Part[] {
  const { content } = result
  const attached = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text')
  return [{ type: 'text', text: protocol.formatResult(result, place) }, ...attached]
}

function withoutResults({ toolResults: _, ...message }: Message): Message {
  return message
}

/** Adjacent texts become one; nothing but text is a text. */
function oneContent(parts: readonly Part[]): Message['content'] {
  const merged: Part[] = []
  for (const part of parts) {
    const before = merged.at(-1)
    if (before?.type === 'text' && part.type === 'text') {
      merged[merged.length - 1] = { type: 'text', text: `${before.text}\n${part.text}` }
    } else merged.push(part)
  }
  const [only] = merged
  return merged.length === 1 && only?.type === 'text' ? only.text : merged
}

/** The content with a text after it. */
function withText(content: Message['content'], text: string): Message['content'] {
  if (typeof content !== 'string') return [...content, { type: 'text', text }]
  return content.trim() === '' ? text : `${content}\n${text}`
}
