/** A reader made of steps: each reads on from a place and says where it got to. */

export type Step = (text: string, at: number, last: boolean) => number

export interface Steps<State extends string> {
  /** Takes step after step until the state is no longer `open` or one makes no progress. */
  read(text: string, at: number, last: boolean): number
  state: State | 'open'
  /** The step to take next. */
  step: Step
}

export function createSteps<State extends string>(first: Step): Steps<State> {
  const steps: Steps<State> = { read, state: 'open', step: first }

  function read(text: string, at: number, last: boolean): number {
    let i = at
    for (;;) {
      const { step } = steps
      const next = step(text, i, last)
      if (steps.state !== 'open' || (steps.step === step && next === i)) return next
      i = next
    }
  }

  return steps
}
