/** Asks packages to read texts that they may never be done with. */
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import type { PeerAnswer, PeerTask } from './peers-process.ts'
import type { Bundle } from './subject.ts'
import { bundle } from './subject.ts'

/** Nanoseconds, or why there are none. */
export type PeerOutcome = number | 'throws' | 'too slow'

/** A busy machine gives us only part of the time that passes. */
const SLACK = 3

/** A process that is replaced when it does not answer. */
export class Attempts {
  readonly #program: Bundle
  #child: ChildProcess | undefined

  private constructor(program: Bundle) {
    this.#program = program
  }

  static async open(): Promise<Attempts> {
    return new Attempts(await bundle('./peers-process.ts'))
  }

  async close(): Promise<void> {
    this.#kill()
    await this.#program.remove()
  }

  /** How long a run takes, warm if it is short; `patience` is what it may take, in milliseconds. */
  async time(task: Omit<PeerTask, 'runs'>, patience: number): Promise<PeerOutcome> {
    const first = await this.#ask({ ...task, runs: 1 }, patience)
    if (typeof first !== 'number' || first > 100e6) return first
    return this.#ask({ ...task, runs: 5 }, patience * 5)
  }

  async #ask(task: PeerTask, patience: number): Promise<PeerOutcome> {
    this.#child ??= await start(this.#program.file)
    this.#child.send(task)
    const answer = await nextAnswer(this.#child, patience * SLACK)
    if (answer === undefined) {
      this.#kill()
      return 'too slow'
    }
    if (answer.time === undefined) return 'throws'
    return answer.time > patience * 1e6 ? 'too slow' : answer.time
  }

  #kill(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}

async function start(file: string): Promise<ChildProcess> {
  const child = fork(file, { execArgv: ['--expose-gc'] })
  if (!(await nextAnswer(child, 60_000))) throw new Error('the process for peers does not start')
  return child
}

/** Undefined when there is none in time. */
function nextAnswer(child: ChildProcess, milliseconds: number): Promise<PeerAnswer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer?: PeerAnswer): void => {
      clearTimeout(timer)
      child.off('message', settle).off('exit', fail)
      resolve(answer)
    }
    const fail = (): void => settle()
    const timer = setTimeout(fail, milliseconds)
    child.once('message', settle).once('exit', fail)
  })
}
