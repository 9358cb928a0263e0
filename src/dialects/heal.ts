/** Making a history fit to be sent to a strict server. */
import type { HistoryRules } from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import type { Message } from '../core/model.ts'
import { runSteps, type Steps } from '../core/steps.ts'
import { plainMessages } from './history/content.ts'
import { fitIds } from './history/ids.ts'
import { pairResults } from './history/pairing.ts'
import { dropAborted, dropEmpty, orderTurns } from './history/turns.ts'

export interface HealOptions {
  /** Told of everything that was changed. */
  readonly report?: ((issue: Issue) => void) | undefined
  /** The id of the dialect, whose own content counts as something said. */
  readonly dialect?: string
}

/**
 * A conversation in the neutral model that the dialect's servers accept: each call answered once and in
 * its place, ids and turns as the dialect wants them. Healing what is healed changes nothing.
 */
export function healMessages(
  messages: readonly Message[],
  rules: HistoryRules,
  options: HealOptions = {},
): Message[] {
  return runSteps(healingSteps(messages, rules, options))
}

/** The same in steps, each of which looks at all messages once. */
export function* healingSteps(
  messages: readonly Message[],
  rules: HistoryRules,
  { report, dialect }: HealOptions = {},
): Steps<Message[]> {
  const plain = plainMessages(dropAborted(messages, report), rules, report)
  yield
  const paired = pairResults(dropEmpty(plain, dialect, report), report)
  yield
  const ordered = orderTurns(paired, rules, report, dialect)
  yield
  return named(fitIds(ordered, rules.callId))
}

/** Results carry the name of their tool: some dialects have nothing else to know them by. */
function named(messages: readonly Message[]): Message[] {
  let names = new Map<string, string>()
  return messages.map((message) => {
    if (message.role === 'assistant') {
      names = new Map(message.toolCalls?.map(({ id, name }) => [id, name]))
      return message
    }
    if (!message.toolResults) return message
    const toolResults = message.toolResults.map((result) => {
      const name = names.get(result.callId) ?? result.name
      return name === undefined ? result : { ...result, name }
    })
    return { ...message, toolResults }
  })
}
