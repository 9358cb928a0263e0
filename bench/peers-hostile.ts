/** Hostile texts: who reads them in reasonable time? */
import type { Effort } from './harness.ts'
import { QUICK } from './harness.ts'
import { HOSTILE } from './hostile-inputs.ts'
import type { PeerOutcome } from './peers-attempt.ts'
import { Attempts } from './peers-attempt.ts'
import type { Cell, Table } from './report.ts'
import { formatRatio, timeCell } from './report.ts'
import { load } from './subject.ts'

const { EXTRACTION_LIBRARIES } = await load<typeof import('./extraction-libraries.ts')>(
  './extraction-libraries.ts',
)

const SIZE = 1e5
const CHUNK = 16

/** Those that mean something to readers of Hermes calls. */
const INPUTS = [
  '< …',
  '[ …',
  'half tags <tool_call',
  'open tags <tool_call>',
  'open tag and brace',
  'open tag, junk, never closed',
  'nested braces, unclosed',
  'many broken calls',
  '```json { …',
  'close tags </tool_call>',
  'spaces in a tag',
  'backslashes in a string',
]

const PACKAGES = EXTRACTION_LIBRARIES.filter(({ reference }) => !reference)

export async function peersHostile(effort: Effort): Promise<Table[]> {
  const patience = effort === QUICK ? 250 : 600
  const inputs = effort === QUICK ? INPUTS.filter((_, index) => index % 3 === 0) : INPUTS
  const attempts = await Attempts.open()
  try {
    return [
      await measure(attempts, inputs, undefined, patience),
      await measure(attempts, inputs, CHUNK, patience),
    ]
  } finally {
    await attempts.close()
  }
}

async function measure(
  attempts: Attempts,
  inputs: readonly string[],
  chunk: number | undefined,
  patience: number,
): Promise<Table> {
  const able = PACKAGES.filter((library) => (chunk ? library.stream : library.whole))
  const rows: Cell[][] = []
  for (const input of inputs) {
    const text = HOSTILE[input]?.(SIZE) ?? ''
    const ours = await attempts.time({ library: undefined, text, chunk }, 60_000)
    if (typeof ours !== 'number') throw new Error(`${input}: ${ours}`)
    const row: Cell[] = [input, timeCell(ours, 1)]
    for (const { name } of able) {
      const outcome = await attempts.time({ library: name, text, chunk }, patience)
      row.push(toCell(outcome, ours, patience))
    }
    rows.push(row)
  }
  const how = chunk ? `chunks of ${chunk} characters` : 'whole'
  return {
    title: `Hostile input, ${SIZE / 1e3} KB, ${how}: how many times longer peers take than Toolglot`,
    head: ['input', 'hermes, tools', ...able.map(({ name }) => name)],
    rows,
  }
}

function toCell(outcome: PeerOutcome, ours: number, patience: number): Cell {
  if (typeof outcome === 'number') return formatRatio(outcome / ours)
  return outcome === 'too slow' ? `> ${formatRatio((patience * 1e6) / ours)}` : outcome
}
