/**
 * Where the engine puts what it finds. The engine writes to an `Output`; a provisional region (a
 * code block that may turn out to be a call) is written to a recording, which is either replayed
 * into the real output or thrown away.
 */
import type { Issue, IssueCode, Repair } from '../issue.ts'
import type { CallEvidence, JsonSchema, Speaker } from '../model.ts'
import type { CallEnding } from '../protocol.ts'

/** All positions are absolute: characters since the start of the reply. */
export interface Output {
  /** `isQuoted`: it is a call that is quoted, and shows nothing about the calls beside it. */
  text(piece: string, start: number, isQuoted?: boolean): void
  reasoning(piece: string, start: number): void
  /** Characters that mark something and are neither text nor call. */
  markup(start: number, end: number): void
  /** Reasoning ended that never began: all text so far was reasoning. */
  reasoningWasOpen(start: number, end: number): void
  issue(issue: Issue, takesText: boolean): void
  begin(call: CallHead): OutputCall
  /** The last so many characters of the visible text. */
  tail(length: number): string
}

export interface CallHead {
  readonly name: string
  readonly id: string | undefined
  readonly protocol: string
  readonly schema: JsonSchema | undefined
  readonly repairs: readonly Repair[]
}

/** What is known of a call besides what it says. */
export interface CallSigns {
  readonly evidence: CallEvidence
  /** Who wrote the same text before. */
  readonly repeats: Speaker | undefined
}

export interface OutputCall {
  delta(json: string): void
  end(ending: CallEnding, start: number, end: number, signs: CallSigns): void
  fail(code: IssueCode, message: string, start: number, end: number, raw: string): void
  /** Not a call after all; its text follows as text. */
  retract(message: string, start: number, end: number, raw?: string): void
}

export interface Recording extends Output {
  /** Where the first text begins that is more than white space; -1 as long as there is none. */
  textStart: number
  /** Calls and failed calls before it. */
  calls: number
  /** True when there are calls that are quoted. */
  quotes: boolean
  /** `textIsMarkup`: what was recorded as text is nothing but white space, and goes with the markup. */
  replay(output: Output, textIsMarkup: boolean): void
}

export function createRecording(): Recording {
  const steps: ((output: Output, textIsMarkup: boolean) => void)[] = []

  function count(more: number): void {
    if (recording.textStart < 0) recording.calls += more
  }

  const recording: Recording = {
    textStart: -1,
    calls: 0,
    quotes: false,
    text(piece, start, isQuoted = false) {
      recording.quotes ||= isQuoted
      const first = isQuoted ? -1 : piece.search(/\S/)
      if (recording.textStart < 0 && first >= 0) recording.textStart = start + first
      steps.push((output, textIsMarkup) =>
        textIsMarkup && !isQuoted
          ? output.markup(start, start + piece.length)
          : output.text(piece, start, isQuoted),
      )
    },
    // Around what is on trial its own engine does not look.
    tail: () => '',
    reasoning: (piece, start) => void steps.push((output) => output.reasoning(piece, start)),
    markup: (start, end) => void steps.push((output) => output.markup(start, end)),
    reasoningWasOpen: (start, end) =>
      void steps.push((output) => output.reasoningWasOpen(start, end)),
    issue(issue, takesText) {
      if (takesText) count(1)
      steps.push((output) => output.issue(issue, takesText))
    },
    begin(head) {
      count(1)
      // The real call exists only once the recording is replayed, before any of its own steps.
      let call: OutputCall | undefined
      steps.push((output) => {
        call = output.begin(head)
      })
      return {
        delta: (json) => void steps.push(() => call?.delta(json)),
        end: (...ending) => void steps.push(() => call?.end(...ending)),
        fail: (...failure) => void steps.push(() => call?.fail(...failure)),
        retract(...retraction) {
          count(-1)
          steps.push(() => call?.retract(...retraction))
        },
      }
    },
    replay(output, textIsMarkup) {
      for (const step of steps) step(output, textIsMarkup)
    },
  }
  return recording
}
