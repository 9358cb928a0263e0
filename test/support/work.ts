/**
 * Counts how much text is looked at, so that "linear" can be checked without a clock: every character
 * presented to a matcher or a reader counts each time it is presented.
 */
import type { CoreOptions } from '../../src/core/options.ts'
import type { Opener, Protocol, Reader } from '../../src/core/protocol.ts'
import { extractChunks } from '../../src/testing/index.ts'

export function createWorkCounter(options: CoreOptions): (chunks: Iterable<string>) => number {
  let work = 0

  function counted(opener: Opener): Opener {
    return {
      ...opener,
      match(text, at, end, last) {
        work += Math.min(end - at, 64)
        return opener.match(text, at, end, last)
      },
      open(context) {
        const reader: Reader = opener.open(context)
        return {
          read(text, at, last) {
            work += text.length - at
            return reader.read(text, at, last)
          },
          get state() {
            return reader.state
          },
        }
      },
    }
  }

  const protocols = options.protocols.map(
    (protocol): Protocol => ({
      ...protocol,
      openers: (tools) => protocol.openers(tools).map(counted),
    }),
  )
  // One list for all replies, since what is known about a list is kept by it.
  const counting = { ...options, protocols }
  return (chunks) => {
    work = 0
    extractChunks(chunks, counting)
    return work
  }
}
