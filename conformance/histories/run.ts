/** Running one history: healed for every dialect, checked, and healed again. */
import type { ChatRequest } from '../../src/core/chat.ts'
import type { Dialect } from '../../src/core/dialect.ts'
import { allDialects } from '../../src/dialects/registry.ts'
import { encodeHealed, heal } from '../../src/dialects/transcode.ts'
import { checkHistory } from '../../src/testing/history-check.ts'
import { compareValues } from '../compare.ts'
import type { Recording } from '../recordings/recording.ts'
import { readHistory } from './read.ts'

export interface HistoryOutcome {
  readonly recording: Recording
  readonly dialect: string
  /** What a strict server would refuse. */
  readonly refused: readonly string[]
  /** What healing it once more changes. */
  readonly changed: readonly string[]
}

/** One outcome for each dialect; undefined when the file cannot be read. */
export function runHistory(recording: Recording): HistoryOutcome[] | undefined {
  const request = readHistory(recording)
  return request && allDialects.map((dialect) => runFor(recording, request, dialect))
}

function runFor(recording: Recording, request: ChatRequest, dialect: Dialect): HistoryOutcome {
  const outcome = { recording, dialect: dialect.id }
  try {
    const { body } = encodeHealed(request, dialect)
    const refused = checkHistory(body, dialect)
    return { ...outcome, refused, changed: changes(body, dialect) }
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { ...outcome, refused: [`it threw: ${message}`], changed: [] }
  }
}

function changes(body: ReturnType<Dialect['encodeRequest']>, dialect: Dialect): string[] {
  const again = encodeHealed(dialect.decodeRequest(body), dialect).body
  const { field } = dialect.rules
  const listed = body[field]
  const messages = Array.isArray(listed) ? heal(listed as object[], dialect) : listed
  return [...compareValues(body, again, 'request'), ...compareValues(listed, messages, field)].map(
    ({ at, expected, got }) => `${at}: ${shown(expected)} became ${shown(got)}`,
  )
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 120)
}
