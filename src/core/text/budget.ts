/** What one reply may cost: calls, markers that begin none, and remarks about text have their limits. */
import type { Issue } from '../issue.ts'
import type { Output } from './output.ts'

/** How many markers without a call are read, and looked at, for each call that a reply may make. */
const DECLINED_PER_CALL = 5
const MISSES_PER_CALL = 2

export class Budget {
  /** Calls begun or failed. */
  attempts = 0
  /** Markers behind which no call stood: each costs a reader. */
  declined = 0
  /** True once that was told: from then on nothing is a call. */
  isSpent = false
  /** Places that looked like the marker of a call and were none. */
  #misses = 0
  #remarks = 0
  readonly #maxCalls: number
  readonly #output: Output

  constructor(maxCalls: number, output: Output) {
    this.#maxCalls = maxCalls
    this.#output = output
  }

  /** How many calls may still be made. */
  get callsLeft(): number {
    return this.#maxCalls - this.attempts
  }

  get isRemarked(): boolean {
    return this.#remarks >= this.#maxCalls
  }

  /** True when another call would be too much, which is told. */
  refuses(): boolean {
    if (this.callsLeft > 0 && this.declined < this.#maxCalls * DECLINED_PER_CALL) return false
    this.#spend()
    return true
  }

  /** Each costs a look at many formats: a text full of them is no reply. */
  noteMiss(quoted: boolean): void {
    if (quoted) this.#remarks++
    else if (++this.#misses >= this.#maxCalls * MISSES_PER_CALL) this.#spend()
  }

  /** Says something about text that stays where it is; a reply full of markers is told enough. */
  remark(code: Issue['code'], message: string, at: number, raw: string): void {
    if (this.#remarks++ < this.#maxCalls)
      this.#output.issue({ code, message, span: [at, at + raw.length], raw }, false)
  }

  #spend(): void {
    if (this.isSpent) return
    this.isSpent = true
    const message = `more than ${this.#maxCalls} calls, or far more markers`
    this.#output.issue({ code: 'limit-exceeded', message }, false)
  }
}
