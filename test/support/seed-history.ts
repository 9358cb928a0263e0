/** Histories in the short form of the recorded vectors: `A(f:0,f:1)` calls, `T(f:0)` answers, `T*` is made up. */
import type { Issue, IssueCode } from '../../src/core/issue.ts'
import type { Message } from '../../src/core/model.ts'
import { healMessages } from '../../src/dialects/heal.ts'

export function readHistory(turns: readonly string[]): Message[] {
  return turns.map((turn) => {
    const [, kind = '', list = ''] = /^(\w)\*?(?:\((.*)\))?$/.exec(turn) ?? []
    const ids = list === '' ? [] : list.split(',')
    if (kind === 'U') return { role: 'user', content: 'Go on.' }
    if (kind === 'T') return toolMessage(ids)
    const toolCalls = ids.map(
      (id) => ({ id, name: id.replace(/:.*/, ''), arguments: {}, origin: 'native' }) as const,
    )
    return toolCalls.length === 0
      ? { role: 'assistant', content: 'Done.' }
      : { role: 'assistant', content: '', toolCalls }
  })
}

export function toolMessage(ids: readonly string[]): Message {
  const toolResults = ids.map((callId) => ({ callId, content: `the result of ${callId}` }))
  return { role: 'tool', content: '', toolResults }
}

/** A result that answers no call is text of the user here, and was left out by the systems of the vectors. */
export function writeHistory(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content, toolCalls = [], toolResults = [] }) => {
    if (role === 'user' && String(content).includes('answers no call')) return []
    if (role === 'tool') {
      return toolResults.map(({ callId, errorCode }) =>
        errorCode === 'missing_result' ? `T*(${callId})` : `T(${callId})`,
      )
    }
    const ids = toolCalls.map(({ id }) => id).join(',')
    return [`${role === 'user' ? 'U' : 'A'}${ids && `(${ids})`}`]
  })
}

/** What was done to the history, under the names of the vectors. */
const REPORTED: Readonly<Record<string, IssueCode>> = {
  synthetic: 'missing-result',
  orphans: 'orphan-result',
  pruned: 'duplicate-dropped',
}

export interface Healed {
  readonly messages: readonly Message[]
  /** How often something was done. */
  count(what: string): number
}

export function healHistory(messages: readonly Message[]): Healed {
  const issues: Issue[] = []
  const report = (issue: Issue): unknown => issues.push(issue)
  const healed = healMessages(messages, { field: 'messages' }, { report })
  return {
    messages: healed,
    count: (what) => issues.filter(({ code }) => code === REPORTED[what]).length,
  }
}
