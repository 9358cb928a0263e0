/**
 * First in, first out. `shift` of an array moves all that is left of it: of some ten thousand pieces that wait for
 * one decision, each would be moved ten thousand times.
 */
export class Queue<Item> {
  #items: Item[] = []
  /** How many items at the beginning are taken. */
  #taken = 0

  get length(): number {
    return this.#items.length - this.#taken
  }

  /** The next, which stays. */
  get head(): Item | undefined {
    return this.#items[this.#taken]
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  pushAll(items: Iterable<Item>): void {
    for (const item of items) this.#items.push(item)
  }

  /** Changes the next. */
  replaceHead(item: Item): void {
    if (this.length > 0) this.#items[this.#taken] = item
  }

  shift(): Item | undefined {
    const item = this.head
    if (this.length > 0) this.#taken++
    // So many are moved as were taken: none twice for each that is taken.
    if (this.#taken >= KEPT && this.#taken * 2 >= this.#items.length) this.#forget()
    return item
  }

  /** Takes the last one back. */
  pop(): Item | undefined {
    return this.length > 0 ? this.#items.pop() : undefined
  }

  /** Takes all. */
  drain(): Item[] {
    const items = this.#taken > 0 ? this.#items.slice(this.#taken) : this.#items
    this.#items = []
    this.#taken = 0
    return items
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.slice(this.#taken).values()
  }

  #forget(): void {
    this.#items = this.#items.slice(this.#taken)
    this.#taken = 0
  }
}

/** Taken items that are kept until all of them are dropped at once. Chosen: a copy for less costs more than it frees. */
const KEPT = 32
