/** A reader made of steps: each reads on from a place and says where it got to. */

export type Step = (text: string, at: number, last: boolean) => number

interface Machine<State extends string, Step> {
  state: State | 'open'
  /** The step to take next. */
  step: Step
}

export interface Steps<State extends string> extends Machine<State, Step> {
  read(text: string, at: number, last: boolean): number
  /** Nothing more is read: what came of it, and where it ends. */
  leave(state: State, at: number): number
}

export function createSteps<State extends string>(first: Step): Steps<State> {
  const steps: Steps<State> = {
    read: (text, at, last) => takeSteps(steps, at, (step, i) => step(text, i, last)),
    leave(state, at) {
      steps.state = state
      return at
    },
    state: 'open',
    step: first,
  }
  return steps
}

/** Takes step after step until the state is no longer `open` or one makes no progress. */
export function takeSteps<State extends string, Step>(
  machine: Machine<State, Step>,
  at: number,
  take: (step: Step, at: number) => number,
): number {
  for (let i = at; ; ) {
    const { step } = machine
    const next = take(step, i)
    if (machine.state !== 'open' || (machine.step === step && next === i)) return next
    i = next
  }
}
