/** Ids for calls that have none, or one that the dialect's servers would refuse. */
import type { IdRule } from '../../core/dialect.ts'
import { fitsId, ID_LETTERS } from '../../dialects/history/id-rule.ts'

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
  return rule ? fitsId(id, rule) : id.trim() !== ''
}

function newId({ length, prefix = 'call_' }: Partial<IdRule> = {}): string {
  return length === undefined ? prefix + letters(20) : letters(length)
}

function letters(count: number): string {
  const random = crypto.getRandomValues(new Uint8Array(count))
  return Array.from(random, (byte) => ID_LETTERS.charAt(byte % ID_LETTERS.length)).join('')
}
