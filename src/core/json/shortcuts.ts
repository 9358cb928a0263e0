/** All the quicker ways over clean parts of a document, for readers of whole documents. */
import { cleanNumberEnd, cleanStringEnd, isDelimiter, scanClean } from './clean.ts'
import { RUNS, type Runs } from './runs.ts'

export interface Shortcuts {
  /** Whole stretches of members. */
  readonly runs: Runs
  readonly stringEnd: typeof cleanStringEnd
  readonly keyEnd: typeof scanClean
  readonly numberEnd: typeof cleanNumberEnd
  readonly isDelimiter: typeof isDelimiter
}

export const jsonShortcuts: Shortcuts = {
  runs: RUNS,
  stringEnd: cleanStringEnd,
  keyEnd: scanClean,
  numberEnd: cleanNumberEnd,
  isDelimiter,
}
