/** Mending must never make a reply worse: when it fails, what is left of the reply passes as it comes. */
import type { Passed, StreamMender } from './rescue-stream.ts'

export function unfailing(mender: StreamMender): StreamMender {
  let isFailed = false

  function giveUp(): Passed {
    isFailed = true
    return mender.abandon()
  }

  return {
    push(bytes) {
      if (isFailed) return bytes
      try {
        return mender.push(bytes)
      } catch {
        return giveUp()
      }
    },
    end() {
      if (isFailed) return []
      try {
        return mender.end()
      } catch {
        return giveUp()
      }
    },
    abandon: () => (isFailed ? [] : giveUp()),
  }
}
