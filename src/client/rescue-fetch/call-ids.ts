/** Ids for calls that have none, or one that the dialect's servers would refuse. */
import type { IdRule } from '../../core/dialect.ts'
import { fitsId, ID_LETTERS } from '../../dialects/history/id-rule.ts'

export interface CallIds {
  /** The id, when the dialect takes it and no other call has it; a new one otherwise. */
  fit(id: unknown): string
  /** Notes an id that the provider gave. */
  note(id: string): void
}

/** The history is that of the request, as it came; it is looked at when there is an id to give. */
export function createCallIds(rule: IdRule | undefined, history: unknown): CallIds {
  const given = new Set<string>()
  let past: ReadonlySet<string> | undefined

  function isUsed(id: string): boolean {
    past ??= idsIn(history)
    return given.has(id) || past.has(id)
  }

  function fresh(): string {
    let id = newId(rule)
    while (isUsed(id)) id = newId(rule)
    return id
  }

  return {
    note: (id) => void given.add(id),
    fit(id) {
      const isKept = typeof id === 'string' && fits(id, rule) && !isUsed(id)
      const kept = isKept ? id : fresh()
      given.add(kept)
      return kept
    },
  }
}

const ID_KEYS: ReadonlySet<string> = new Set([
  'id',
  'call_id',
  'tool_call_id',
  'toolUseId',
  'toolCallId',
])

/** Every id there is, of whatever it may be: to decode the messages would take far longer. */
function idsIn(history: unknown): Set<string> {
  const ids = new Set<string>()
  // A list and no recursion: what clients send may be nested without end.
  const left = [history]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'object') left.push(member)
      else if (ID_KEYS.has(key)) ids.add(String(member))
    }
  }
  return ids
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
