/**
 * Milliseconds on a clock that only goes forward, for measuring how long something takes or lasts. The clock
 * of `Date.now` jumps when the time of the machine is set.
 */
export function monotonicNow(): number {
  return performance.now()
}
