/**
 * A trial: a region that is read as if it held calls, by an engine of its own, while its raw text is
 * kept in case it does not. Code blocks and reasoning left open are tried this way.
 */
import type { createEngine, Engine } from './engine.ts'
import type { Grammar } from './grammar.ts'
import { createRecording, type Recording } from './output.ts'

export interface Trial {
  readonly engine: Engine
  readonly recording: Recording
  /** Absolute position of the opening, and the opening itself. */
  readonly start: number
  readonly opening: string
  readonly raw: string[]
  size: number
}

export interface TrialStart {
  readonly at: number
  readonly opening: string
  /** Calls the reply may still make. */
  readonly callsLeft: number
  /** True when a call with markers was seen, so that free formats are off. */
  readonly marked: boolean
}

/** The engine makes its own kind for the trial, so it hands its maker over. */
export function createTrial(
  create: typeof createEngine,
  grammar: Grammar,
  start: TrialStart,
): Trial {
  const { at, opening, callsLeft, marked } = start
  const recording = createRecording()
  const limits = { ...grammar.limits, maxCalls: callsLeft }
  const inner: Grammar = { ...grammar, limits, markdown: false, reasoning: 'off' }
  const engine = create(inner, recording, { at: at + opening.length, marked })
  return { engine, recording, start: at, opening, raw: [], size: opening.length }
}

export function feedTrial(trial: Trial, piece: string): void {
  if (piece === '') return
  trial.raw.push(piece)
  trial.size += piece.length
  trial.engine.push(piece)
}

export function atLineStart(trial: Trial): boolean {
  return (trial.raw.at(-1) ?? trial.opening).endsWith('\n')
}
