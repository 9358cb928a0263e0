/**
 * A trial: a region that is read as if it held calls, by an engine of its own, while its raw text is
 * kept in case it does not. Code blocks, reasoning left open and what may end a reply are tried this way.
 */
import type { Engine } from './engine.ts'
import type { Recording } from './output.ts'

export interface Trial {
  readonly engine: Engine
  readonly recording: Recording
  /** Absolute position of the opening, and the opening itself. */
  readonly start: number
  readonly opening: string
  readonly raw: string[]
}

export function atLineStart({ raw, opening }: Trial): boolean {
  return (raw.at(-1) ?? opening).endsWith('\n')
}
