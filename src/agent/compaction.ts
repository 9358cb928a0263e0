/**
 * Histories that outgrow the model. What costs least to lose goes first: long results, then old results,
 * then whole turns, of which a summary stays. System messages, the first request, pinned messages and the
 * last messages are never touched, and a call is never parted from its result.
 */
import type { Message, ToolResult } from '../core/model.ts'
import { excerpt, lengthOf } from './result-budget.ts'
import { estimateTokens } from './tokens.ts'

export interface CompactionOptions {
  /** Tokens the model can read. Default: as its service says, where it does. */
  readonly contextWindow: number
  /** The part of the window from which on the history is made shorter. Default 0.6. */
  readonly threshold?: number
  /** Messages at the end that stay as they are. Default 6. */
  readonly keepLast?: number
  /** Messages that must stay as they are. */
  isPinned?(message: Message, index: number): boolean
  /** Says in short what happened in these messages. By default the model itself is asked. */
  summarize?(messages: readonly Message[], signal: AbortSignal): Promise<string>
}

export interface Compaction {
  readonly messages: readonly Message[]
  readonly tokensBefore: number
  readonly tokensAfter: number
}

const THRESHOLD = 0.6
const KEEP_LAST = 6
const LONG_RESULT = 16_000
const KEPT_OF_LONG = 2000

export function isTooLong(tokens: number, options: CompactionOptions): boolean {
  return tokens >= options.contextWindow * (options.threshold ?? THRESHOLD)
}

/** A shorter history, or undefined when there is nothing to be gained. */
export async function compact(
  messages: readonly Message[],
  options: CompactionOptions,
  summarize: (messages: readonly Message[]) => Promise<string>,
): Promise<Compaction | undefined> {
  const fixed = fixedMessages(messages, options)
  const tokensBefore = sum(messages)
  let current = messages
  for (const stage of [shortenLong, snipStale]) {
    current = current.map((message, at) => (fixed[at] ? message : stage(message)))
    if (!isTooLong(sum(current), options)) break
  }
  if (isTooLong(sum(current), options)) current = await replaceTurns(current, fixed, summarize)
  const tokensAfter = sum(current)
  return tokensAfter < tokensBefore ? { messages: current, tokensBefore, tokensAfter } : undefined
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((tokens, message) => tokens + estimateTokens(message), 0)
}

/** Which messages stay. A result stays with its call and a call with its result. */
function fixedMessages(
  messages: readonly Message[],
  { keepLast = KEEP_LAST, isPinned }: CompactionOptions,
): boolean[] {
  const firstRequest = messages.findIndex(({ role }) => role === 'user')
  const fixed = messages.map(
    (message, at) =>
      message.role === 'system' ||
      at === firstRequest ||
      at >= messages.length - keepLast ||
      isPinned?.(message, at) === true,
  )
  for (const [at, { role }] of messages.entries()) {
    if (role !== 'tool' || at === 0) continue
    const call = at - 1
    fixed[at] = fixed[call] = fixed[at] === true || fixed[call] === true
  }
  return fixed
}

function shortenLong(message: Message): Message {
  return mapResults(message, (result) =>
    typeof result.content === 'string' && lengthOf(result) > LONG_RESULT
      ? { ...result, content: excerpt(result.content, KEPT_OF_LONG, KEPT_OF_LONG) }
      : result,
  )
}

function snipStale(message: Message): Message {
  return mapResults(message, (result) => {
    const content = `<snipped: ${lengthOf(result)} characters of ${result.name ?? 'a result'}>`
    return lengthOf(result) > content.length ? { ...result, content } : result
  })
}

function mapResults(message: Message, change: (result: ToolResult) => ToolResult): Message {
  const { toolResults } = message
  return toolResults ? { ...message, toolResults: toolResults.map(change) } : message
}

/** A summary in the place of everything that need not stay. */
async function replaceTurns(
  messages: readonly Message[],
  fixed: readonly boolean[],
  summarize: (messages: readonly Message[]) => Promise<string>,
): Promise<readonly Message[]> {
  const loose = messages.filter((_, at) => !fixed[at])
  if (loose.length === 0) return messages
  const summary = await summarize(loose)
  const first = fixed.indexOf(false)
  const note: Message = { role: 'user', content: `What happened so far, in short:\n${summary}` }
  return messages.flatMap((message, at) => {
    if (at === first) return [note]
    return fixed[at] ? [message] : []
  })
}

export const SUMMARY_REQUEST: string =
  'Sum up the conversation above for yourself, so that you can go on without it: what was asked, what ' +
  'was found out (names, paths, numbers), what was decided and done, what is left. No tool calls.'
