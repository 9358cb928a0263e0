/** A run as JSON, for programs to compare. */
import { failuresOf } from './failures.ts'
import { type Recorded, recordedJson } from './recordings/report.ts'
import type { Settings } from './settings.ts'
import { groupBy, type Ran, type Section, sectionsOf, tally } from './tally.ts'

export function jsonReport(
  ran: readonly Ran[],
  recorded: Recorded,
  shortcomings: readonly string[],
  { seed, chunkings }: Settings,
): unknown {
  const passed = shortcomings.length === 0
  return {
    seed,
    chunkings,
    passed,
    shortcomings,
    sections: sectionsOf(ran).map(sectionReport),
    ...recordedJson(recorded),
  }
}

function sectionReport({ title, ran, keysOf }: Section): unknown {
  return {
    title,
    all: tally(ran),
    groups: groupBy(ran, keysOf).map(([key, group]) => ({ key, ...tally(group) })),
    failures: failuresOf(ran).map(({ case: { id, format, source }, modes, outcome }) => {
      const { calls, text, reasoning, differences, faults } = outcome
      return { id, format, source, modes, calls, text, reasoning, differences, faults }
    }),
    cases: ran.map(({ case: { id, format, source, policies }, outcomes }) => ({
      id,
      format,
      source,
      policies,
      outcomes: outcomes.map(({ mode, calls, text, reasoning, noProtocol = false, faults }) => {
        return { mode, calls, text, reasoning, noProtocol, streamed: faults.length === 0 }
      }),
    })),
  }
}
