/** Whether a run is good enough. */

import type { Minimums } from './settings.ts'
import { formatPercent } from './tables.ts'
import { type Count, isHeadline, type Ran, share, tally } from './tally.ts'

/** What keeps a run from passing, in words. */
export function shortcomings(ran: readonly Ran[], minimums: Minimums): string[] {
  return [...streamFaults(ran), ...belowMinimums(ran, minimums)]
}

function streamFaults(ran: readonly Ran[]): string[] {
  const faulty = ran.filter(({ outcomes }) => outcomes.some(({ faults }) => faults.length > 0))
  return faulty.length > 0 ? [`reading in pieces goes wrong in ${faulty.length} cases`] : []
}

function belowMinimums(ran: readonly Ran[], minimums: Minimums): string[] {
  const { modes } = tally(ran.filter(isHeadline))
  return [
    ...below('auto calls', modes.auto?.calls, minimums.calls),
    ...below('pinned calls', modes.pinned?.calls, minimums.pinned),
    ...(['auto', 'pinned'] as const).flatMap((mode) =>
      (['text', 'reasoning'] as const)
        .filter((part) => modes[mode]?.[part].of)
        .flatMap((part) => below(`${mode} ${part}`, modes[mode]?.[part], minimums.text)),
    ),
  ]
}

function below(what: string, count: Count | undefined, minimum: number | undefined): string[] {
  if (minimum === undefined) return []
  const reached = count && share(count)
  // A demand on nothing would always be met, which is not what somebody who makes it expects.
  if (reached === undefined) return [`${what}: nothing was measured, and ${minimum} % is demanded`]
  return reached < minimum ? [`${what}: ${formatPercent(reached)} right, below ${minimum} %`] : []
}
