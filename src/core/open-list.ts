/** Items that are taken out one by one, each found by a key: linear, however many there are. */
export class OpenList<T> {
  readonly #items: T[] = []
  readonly #isTaken: boolean[] = []

  add(item: T): number {
    this.#isTaken.push(false)
    return this.#items.push(item) - 1
  }

  take(position: number): T | undefined {
    this.#isTaken[position] = true
    return this.#items[position]
  }

  /** What nobody took, in order. */
  left(): T[] {
    return this.#items.filter((_, at) => !this.#isTaken[at])
  }

  /** Positions of items under keys of one kind. */
  index<Key>(): OpenIndex<Key> {
    return new OpenIndex((position) => this.#isTaken[position] === true)
  }
}

/** Where the items of an {@link OpenList} are, by key. */
export class OpenIndex<Key> {
  readonly #queues = new Map<Key, { readonly positions: number[]; head: number }>()
  readonly #isTaken: (position: number) => boolean

  constructor(isTaken: (position: number) => boolean) {
    this.#isTaken = isTaken
  }

  add(key: Key, position: number): void {
    const queue = this.#queues.get(key)
    if (queue) queue.positions.push(position)
    else this.#queues.set(key, { positions: [position], head: 0 })
  }

  /** The position of the first item under the key that is still there. */
  first(key: Key): number | undefined {
    const queue = this.#queues.get(key)
    if (!queue) return undefined
    for (; queue.head < queue.positions.length; queue.head++) {
      const position = queue.positions[queue.head]
      if (position !== undefined && !this.#isTaken(position)) return position
    }
    return undefined
  }
}
