/** Running all recordings of some folders. */
import { type HistoryOutcome, runHistory } from '../histories/run.ts'
import type { Settings } from '../settings.ts'
import { type Recording, readIndex } from './recording.ts'
import type { Recorded } from './report.ts'
import { dialectOf, type RecordingOutcome, runRecording } from './run.ts'

export function runRecordings(
  folders: readonly string[],
  settings: Settings,
  before: (id: string) => void,
): Recorded {
  const outcomes: RecordingOutcome[] = []
  const histories: HistoryOutcome[] = []
  const uncovered: Recording[] = []
  for (const recording of folders.flatMap(readIndex).filter((one) => isWanted(one, settings))) {
    before(recording.id)
    const isHistory = recording.kind === 'history'
    const dialect = isHistory ? undefined : dialectOf(recording)
    const healed = isHistory ? runHistory(recording) : undefined
    if (dialect) outcomes.push(runRecording(recording, dialect, settings))
    else if (healed) histories.push(...healed)
    else uncovered.push(recording)
  }
  return { outcomes, histories, uncovered }
}

function isWanted(recording: Recording, { ids, formats, sources }: Settings): boolean {
  const wanted = (names: readonly string[] | undefined, ...one: readonly (string | undefined)[]) =>
    names?.some((name) => one.includes(name)) ?? true
  const { id, dialect, provider } = recording
  return (
    wanted(ids, id) &&
    wanted(formats, dialect, dialectOf(recording)?.id) &&
    wanted(sources, provider)
  )
}
