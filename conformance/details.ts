/** Everything there is to know about a case. */
import { printable } from '../src/cli/terminal.ts'
import { formatDifference } from './failures.ts'
import type { Outcome } from './run.ts'
import type { Ran } from './tally.ts'

export function formatDetails({ case: one, outcomes }: Ran): string {
  const { calls, content, reasoning, tools = null } = one
  const policies = one.policies.length > 0 ? `, policy ${one.policies.join(', ')}` : ''
  return [
    `${one.id}  ${one.format}  ${one.source} ${one.test}`.trimEnd(),
    `${one.strength}${policies}`,
    part('text', one.text),
    part('text as JSON', JSON.stringify(one.text)),
    ...(one.chunks ? [part('chunks', JSON.stringify(one.chunks))] : []),
    part('tools', JSON.stringify(tools, null, 2)),
    part('expected', JSON.stringify({ calls, content, reasoning }, null, 2)),
    ...outcomes.map(formatOutcome),
    '',
  ].join('\n')
}

function formatOutcome(outcome: Outcome): string {
  const { mode, found, differences, faults } = outcome
  if (outcome.noProtocol) return part(mode, 'there is no protocol to pin to')
  const { calls, text, reasoning, issues } = found ?? {}
  return [
    part(`got, ${mode}`, JSON.stringify({ calls, text, reasoning, issues }, null, 2)),
    `${mode}: calls ${outcome.calls}, text ${outcome.text}, reasoning ${outcome.reasoning}`,
    ...faults.map((fault) => `    ! ${printable(fault)}`),
    ...differences.flatMap(formatDifference),
  ].join('\n')
}

function part(title: string, body: string): string {
  return `── ${title}\n${printable(body)}`
}
