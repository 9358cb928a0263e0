/** What people and programs say about calls that wait. */
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { Decision, RunRecord, RunState } from './journal.ts'

/** Undefined for what cannot be understood: that is no approval. */
export function asDecision(said: unknown): Decision | undefined {
  if (said === true) return { approved: true }
  if (said === false) return { approved: false }
  return isDecision(said) ? said : undefined
}

function isDecision(said: unknown): said is Decision {
  if (!isJsonObject(said)) return false
  return isJsonObject(said['result']) || typeof said['approved'] === 'boolean'
}

/** Decisions by the ids of calls, as a record by their positions. */
export function decisionRecord(
  { batch }: RunState,
  decisions: Readonly<Record<string, unknown>>,
): RunRecord {
  const positions: Record<number, Decision> = {}
  for (const [id, said] of Object.entries(decisions)) {
    const position = batch?.calls.findIndex((call) => call.id === id) ?? -1
    if (position === -1) throw invalid(`no call with the id "${id}" waits for a decision`)
    const decision = asDecision(said)
    if (!decision) {
      throw invalid(
        `the decision about "${id}" cannot be understood; it takes true, false, ` +
          '{ approved: true, arguments }, { approved: false, reason } or { result: { content } }',
      )
    }
    positions[position] = decision
  }
  return { type: 'decided', decisions: positions }
}

function invalid(message: string): InvalidInputError {
  return new InvalidInputError(message)
}
