/** How do packages for the same work fare on the same texts, in the same run? */
import type { Effort } from './harness.ts'
import { peersHostile } from './peers-hostile.ts'
import { peersRepair } from './peers-repair.ts'
import type { Standing } from './peers-standing.ts'
import { speedsBesideBest, standingTable } from './peers-standing.ts'
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

function barsOf(whole: readonly Standing[], streamed: readonly Standing[]): Bar[] {
  const all = [...whole, ...streamed]
  const isLarge = ({ size }: Standing): boolean => size > 5e5
  return [
    worstOf(
      'whole text to 100 KB: times as fast as the best peer that finds all calls',
      speedsBesideBest(
        whole.filter((one) => !isLarge(one)),
        all,
      ),
      4,
      'min',
    ),
    worstOf(
      'whole text, 1 MB: times as fast as the best peer that finds all calls',
      speedsBesideBest(whole.filter(isLarge), all),
      1,
      'min',
    ),
    worstOf(
      'streamed: times as fast as the best peer that finds all calls',
      speedsBesideBest(streamed, all),
      10,
      'min',
    ),
  ]
}
