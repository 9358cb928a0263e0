/** What one reply may cost: calls, markers that begin none, and remarks about text have their limits. */
import type { Issue } from '../issue.ts'
import type { Output } from './output.ts'

// The scanner has bounds of its own, apart from the caller's `maxCalls`: they keep hostile input cheap and say
// nothing about how many calls are welcome. Among 165,000 recorded replies and texts about
// tool calls, the most that one text needed was 43 misses, 36 declined markers and 85 remarks; a reply that is nothing
// but markers passes the bounds after some tens of kilobytes.

/** Markers that were read and began no call: each costs a reader. */
const MAX_DECLINED = 5000
/** Places that look like a marker and are none: each costs a look at several formats. */
const MAX_MISSES = 2000
/** Remarks about text that stays text; the issues of one reply need no more. */
const MAX_REMARKS = 1000

const TOO_MANY_MARKERS = 'too many markers that begin no call'

export class Budget {
  /** Calls begun or failed. */
  attempts = 0
  /** Markers after which no call came. */
  declined = 0
  /** True once that was reported: from then on nothing is a call. */
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
    return this.#remarks >= MAX_REMARKS
  }

  /** True when another call would be too much, which is reported. */
  refuses(): boolean {
    if (this.callsLeft <= 0) this.#spend(`more than ${this.#maxCalls} calls`)
    else if (this.declined >= MAX_DECLINED) this.#spend(TOO_MANY_MARKERS)
    return this.isSpent
  }

  /** Each costs a look at many formats: a text full of them is no reply. */
  noteMiss(quoted: boolean): void {
    if (quoted) this.#remarks++
    else if (++this.#misses >= MAX_MISSES) this.#spend(TOO_MANY_MARKERS)
  }

  /** Reports something about text that stays where it is, up to the limit on remarks. */
  remark(code: Issue['code'], message: string, at: number, raw: string): void {
    if (this.#remarks++ < MAX_REMARKS)
      this.#output.issue({ code, message, span: [at, at + raw.length], raw }, false)
  }

  #spend(message: string): void {
    if (this.isSpent) return
    this.isSpent = true
    this.#output.issue({ code: 'limit-exceeded', message }, false)
  }
}
