/** Events from work that goes on by itself, for one reader at most. */

/** How many events wait for a reader before the work waits for it. */
const CAPACITY = 256

export interface Channel<Event> {
  /** Resolves when there is room. */
  emit(event: Event): Promise<void> | undefined
  end(error?: unknown): void
  /** From now on events are kept for a reader. */
  read(): AsyncGenerator<Event, void>
}

/** `onLeave` is called when the reader stops before the end. */
export function createChannel<Event>(onLeave: () => void): Channel<Event> {
  const waiting: Event[] = []
  let isRead = false
  let ended: { readonly error?: unknown } | undefined
  let wakeReader = (): void => {}
  let wakeWriters: (() => void)[] = []

  function emit(event: Event): Promise<void> | undefined {
    if (!isRead) return undefined
    waiting.push(event)
    wakeReader()
    if (waiting.length < CAPACITY) return undefined
    return new Promise((resolve) => wakeWriters.push(resolve))
  }

  function letWritersGo(): void {
    for (const wake of wakeWriters) wake()
    wakeWriters = []
  }

  async function* follow(): AsyncGenerator<Event, void> {
    try {
      while (true) {
        yield* waiting.splice(0)
        letWritersGo()
        if (waiting.length > 0) continue
        if (ended) break
        await new Promise<void>((resolve) => {
          wakeReader = resolve
        })
      }
      if (ended && 'error' in ended) throw ended.error
    } finally {
      isRead = false
      letWritersGo()
      if (!ended) onLeave()
    }
  }

  return {
    emit,
    end(...error) {
      ended = error.length > 0 ? { error: error[0] } : {}
      wakeReader()
    },
    read() {
      isRead = true
      return follow()
    },
  }
}
