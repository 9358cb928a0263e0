/** Mending must never make a reply worse: when it fails, what is left of the reply passes as it comes. */
import type { StreamMender } from './rescue-stream.ts'

const NOTHING = new Uint8Array()

export function unfailing(mender: StreamMender): StreamMender {
  let isFailed = false

  function giveUp(): Uint8Array {
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
      if (isFailed) return NOTHING
      try {
        return mender.end()
      } catch {
        return giveUp()
      }
    },
    abandon: () => (isFailed ? NOTHING : giveUp()),
  }
}
