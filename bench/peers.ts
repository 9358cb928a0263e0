/** How do packages for the same work fare on the same texts, in the same run? */
import type { Effort } from './harness.ts'
import { peersHostile } from './peers-hostile.ts'
import { peersRepair } from './peers-repair.ts'
import type { Standing } from './peers-standing.ts'
import { speedsBesideReliable, speedsBesideRight, standingTable } from './peers-standing.ts'
import { CHUNK, peersStream } from './peers-stream.ts'
import { peersWhole } from './peers-whole.ts'
import type { Bar, Report, Table } from './report.ts'
import { worstOf } from './report.ts'

export async function peers(effort: Effort): Promise<Report> {
  const whole = await peersWhole(effort)
  const streamed = await peersStream(effort)
  const hostile = await peersHostile(effort)
  const repair = await peersRepair(effort)
  return {
    tables: [...tablesOf(whole, streamed), ...hostile, repair],
    bars: barsOf(whole, streamed),
  }
}

function tablesOf(whole: readonly Standing[], streamed: readonly Standing[]): Table[] {
  return [
    standingTable('Whole text: how many times longer peers take than Toolglot', whole),
    standingTable(
      `Chunks of ${CHUNK} characters: how many times longer peers take than Toolglot`,
      streamed,
    ),
  ]
}

/**
 * Two readings of "the best peer that finds all calls". A package that loses calls in one text may be
 * right in another, and then it is the harder one to beat there; so both are told.
 */
function barsOf(whole: readonly Standing[], streamed: readonly Standing[]): Bar[] {
  const run = [...whole, ...streamed]
  const large = whole.filter(({ size }) => size > 5e5)
  const small = whole.filter((one) => !large.includes(one))
  const parts = [
    { name: 'whole text to 100 KB', standings: small, limit: 4 },
    { name: 'whole text, 1 MB', standings: large, limit: 1 },
    { name: 'streamed', standings: streamed, limit: 10 },
  ]
  return parts.flatMap(({ name, standings, limit }) => [
    worstOf(
      `${name}: times as fast as the best peer that finds all calls in every text`,
      speedsBesideReliable(standings, run),
      limit,
      'min',
    ),
    worstOf(
      `${name}: times as fast as the best peer that finds all calls in that text`,
      speedsBesideRight(standings),
      limit,
      'min',
    ),
  ])
}
