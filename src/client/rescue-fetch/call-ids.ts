/** Ids for calls that have none, or one that the dialect's servers would refuse. */
import type { IdRule } from '../../core/dialect.ts'

export interface CallIds {
  /** The id, when the dialect takes it and no other call has it; a new one otherwise. */
  fit(id: unknown): string
  /** Notes an id that the provider gave. */
  note(id: string): void
}

export function createCallIds(rule: IdRule | undefined, history: Iterable<string>): CallIds {
  const used = new Set(history)

  function fresh(): string {
    let id = newId(rule)
    while (used.has(id)) id = newId(rule)
    return id
  }

  return {
    note: (id) => void used.add(id),
    fit(id) {
      const isKept = typeof id === 'string' && fits(id, rule) && !used.has(id)
      const kept = isKept ? id : fresh()
      used.add(kept)
      return kept
    },
  }
}

function fits(id: string, rule: IdRule | undefined): boolean {
  if (!rule) return id.trim() !== ''
  const { pattern, length = id.length, maxLength = id.length } = rule
  return id !== '' && id.length === length && id.length <= maxLength && pattern.test(id)
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function newId({ length, prefix = 'call_' }: Partial<IdRule> = {}): string {
  return length === undefined ? prefix + letters(20) : letters(length)
}

function letters(count: number): string {
  const random = crypto.getRandomValues(new Uint8Array(count))
  return Array.from(random, (byte) => LETTERS.charAt(byte % LETTERS.length)).join('')
}
