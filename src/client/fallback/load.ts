/** How busy and how fast a client is, measured on the requests that it gets. */

export interface Load {
  /** Requests under way. */
  readonly underWay: number
  /**
   * Milliseconds until a reply begins, as a mean in which later requests weigh more. It shrinks while the client
   * is not asked, so that a client that was slow once is tried again; 0 before the first reply.
   */
  latencyMs(): number
  /** A request is sent. */
  enter(): LoadVisit
}

/** One request of a client. */
export interface LoadVisit {
  /** The reply begins. */
  begin(): void
  /** The reply is over, or there will be none; any further call changes nothing. */
  leave(): void
}

/** How much the latest request counts in the mean. */
const NEWEST_SHARE = 0.3
/** After this time without a reply, a measured latency counts half. */
const HALF_LIFE_MS = 30_000

/** `now`: milliseconds on a clock that never goes back. */
export function createLoad(now: () => number): Load {
  let underWay = 0
  let mean: number | undefined
  let measuredAt = 0

  function measure(ms: number): void {
    // What was measured long ago counts in full here: a shrunken value would be no measurement.
    mean = mean === undefined ? ms : mean + NEWEST_SHARE * (ms - mean)
    measuredAt = now()
  }

  return {
    get underWay() {
      return underWay
    },
    latencyMs: () => (mean ?? 0) * 0.5 ** ((now() - measuredAt) / HALF_LIFE_MS),
    enter() {
      const began = now()
      let isOver = false
      let isMeasured = false
      underWay += 1
      return {
        begin() {
          if (isMeasured || isOver) return
          isMeasured = true
          measure(now() - began)
        },
        leave() {
          if (isOver) return
          isOver = true
          underWay -= 1
        },
      }
    },
  }
}
