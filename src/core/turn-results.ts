/**
 * Which results of a turn answer which of its calls. An id counts within its turn only: some models use
 * the same ones again in each turn.
 */
import type { Message, ToolCall, ToolResult } from './model.ts'
import { OpenList } from './open-list.ts'
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
export function distinctCalls(
  calls: readonly ToolCall[],
  onRepeated: (call: ToolCall) => void = () => {},
): ToolCall[] {
  const firsts = new Map<string, ToolCall>()
  return calls.filter((call) => {
    const twin = call.id === '' ? undefined : firsts.get(call.id)
    if (!twin) firsts.set(call.id, call)
    const isRepeated = twin?.name === call.name && equalJson(twin.arguments, call.arguments)
    if (isRepeated) onRepeated(call)
    return !isRepeated
  })
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
  const waiting = new WaitingResults(given)
  const answered = new Map<ToolCall, ToolResult>()
  const byId = new Map<string, ToolCall>()
  for (const call of calls) {
    const result = waiting.take(call, calls.length === 1)
    if (result) answered.set(call, result)
    if (call.id !== '' && !byId.has(call.id)) byId.set(call.id, call)
  }
  const replaced: ToolResult[] = []
  const orphans = waiting.left().filter((result) => {
    const call = byId.get(result.callId)
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

/** Results by what their call may be known by: the id, and where there is none, name and order. */
class WaitingResults {
  readonly #results = new OpenList<ToolResult>()
  readonly #byId = this.#results.index<string>()
  readonly #byName = this.#results.index<string | undefined>()
  readonly #withoutId = this.#results.index<string | undefined>()

  constructor(given: readonly ToolResult[]) {
    for (const result of given) {
      const at = this.#results.add(result)
      this.#byName.add(result.name, at)
      if (result.callId === '') this.#withoutId.add(result.name, at)
      else this.#byId.add(result.callId, at)
    }
  }

  /** The first result that answers the call, and no other call from now on. */
  take({ id, name }: ToolCall, isOnly: boolean): ToolResult | undefined {
    const named = id === '' ? this.#byName : this.#withoutId
    const found = [
      id === '' ? undefined : this.#byId.first(id),
      named.first(name),
      isOnly ? named.first(undefined) : undefined,
    ].filter((at) => at !== undefined)
    const [first] = found.sort((one, other) => one - other)
    return first === undefined ? undefined : this.#results.take(first)
  }

  left(): ToolResult[] {
    return this.#results.left()
  }
}
