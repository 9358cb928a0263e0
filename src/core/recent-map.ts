/** A map that forgets what was not used for longest when it has too much. */

export interface RecentMapOptions<Value> {
  readonly maxEntries: number
  readonly maxBytes?: number
  /** What an entry takes, roughly; only asked with `maxBytes`. */
  readonly bytesOf?: (key: string, value: Value) => number
  /** Called for each entry that is gone: deleted, replaced, or forgotten for want of space. */
  readonly onForget?: (key: string, value: Value) => void
}

export interface RecentMap<Value> {
  /** Counts as use. */
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  /** Forgets, beginning with the ones used longest ago, as long as the test says so. */
  forgetWhile(test: (value: Value) => boolean): void
  keys(): IterableIterator<string>
  readonly size: number
}

export function createRecentMap<Value>(options: RecentMapOptions<Value>): RecentMap<Value> {
  const { maxEntries, maxBytes = Infinity, bytesOf = () => 0, onForget } = options
  // In the order of use: maps keep the order in which keys were added.
  const entries = new Map<string, Value>()
  let bytes = 0
  /** The key used last, which need not be moved when it is used again. */
  let newest: string | undefined

  function remove(key: string): void {
    const value = entries.get(key)
    if (value === undefined || !entries.delete(key)) return
    bytes -= bytesOf(key, value)
    onForget?.(key, value)
  }

  function isFull(): boolean {
    return entries.size > maxEntries || bytes > maxBytes
  }

  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined || key === newest) return value
      entries.delete(key)
      entries.set(key, value)
      newest = key
      return value
    },
    set(key, value) {
      remove(key)
      entries.set(key, value)
      newest = key
      bytes += bytesOf(key, value)
      for (const oldest of entries.keys()) {
        if (!isFull()) break
        remove(oldest)
      }
    },
    delete: remove,
    forgetWhile(test) {
      for (const [key, value] of entries) {
        if (!test(value)) break
        remove(key)
      }
    },
    keys: () => entries.keys(),
    get size() {
      return entries.size
    },
  }
}
