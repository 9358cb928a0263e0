/** Ids of calls as a dialect wants them. */
import type { IdRule } from '../../core/dialect.ts'
import type { Message } from '../../core/model.ts'
import { OpenList } from '../../core/open-list.ts'
import { hashOf, mixed } from './hash.ts'
import { fitsId, ID_LETTERS } from './id-rule.ts'

const MADE_UP_LENGTH = 24

/** Where a dialect has no rule, calls of one turn must still be told apart. */
const ANY_ID: IdRule = { pattern: /./ }

/**
 * Gives every call an id that fits the rule and no other call has. What fits stays, and what is new
 * follows from the old id and its place alone, so that a history that grew keeps the ids it was sent with.
 */
export function fitIds(messages: readonly Message[], rule: IdRule = ANY_ID): Message[] {
  const used = new Set<string>()
  let renamed = new OpenList<string>()
  let byCall = renamed.index<string>()
  return messages.map((message, turn) => {
    if (message.role === 'assistant') {
      renamed = new OpenList()
      byCall = renamed.index()
      if (rule === ANY_ID) used.clear()
      if (!message.toolCalls) return message
      const toolCalls = message.toolCalls.map((call, at) => {
        const id =
          fitsId(call.id, rule) && !used.has(call.id)
            ? call.id
            : newId(`${turn}:${at}:${call.id}`, rule, used)
        used.add(id)
        byCall.add(call.id, renamed.add(id))
        return id === call.id ? call : { ...call, id, originalId: call.originalId ?? call.id }
      })
      return { ...message, toolCalls }
    }
    if (!message.toolResults) return message
    const toolResults = message.toolResults.map((result) => {
      const at = byCall.first(result.callId)
      const callId = (at === undefined ? undefined : renamed.take(at)) ?? result.callId
      return callId === result.callId ? result : { ...result, callId }
    })
    return { ...message, toolResults }
  })
}

/** An id that fits the rule and follows from the seed; none that is used. */
export function newId(
  seed: string,
  { length, maxLength, prefix = 'call_' }: IdRule,
  used: ReadonlySet<string>,
): string {
  const size = length ?? Math.min(maxLength ?? MADE_UP_LENGTH, MADE_UP_LENGTH)
  for (let attempt = 0; ; attempt++) {
    const start = length === undefined ? prefix : ''
    const id = start + letters(`${seed}:${attempt}`, size - start.length)
    if (!used.has(id)) return id
  }
}

/** Letters and digits that follow from a text: its hash, spun on for as many as are wanted. */
function letters(seed: string, count: number): string {
  let hash = hashOf(seed)
  let text = ''
  for (let i = 0; i < count; i++) {
    hash = mixed(hash, i)
    text += ID_LETTERS.charAt((hash >>> 7) % ID_LETTERS.length)
  }
  return text
}
