/**
 * Output of the reader: slices of the input where it is valid JSON, replacements where it is not.
 * Text from a comma up to the value it announces is *owed*: it can still be taken back, when a
 * bracket or the end of the input shows that nothing follows.
 */
import type { Reading } from './reading.ts'

/** Writes the input before `at`. */
export function copy(r: Reading, at: number): void {
  if (r.owedFrom >= 0) {
    r.out += r.text.slice(r.from, r.owedFrom)
    r.from = r.owedFrom
    r.owedFrom = -1
    r.owing = true
  }
  if (at > r.from) write(r, r.text.slice(r.from, at))
  r.from = at
}

function write(r: Reading, piece: string): void {
  if (r.owing) r.owed += piece
  else r.out += piece
}

/** Writes `piece` instead of the characters from `at` to `next`. */
export function replace(r: Reading, at: number, next: number, piece: string): void {
  copy(r, at)
  write(r, piece)
  r.from = next
}

/** Everything from `at` on is owed until settled or revoked. */
export function owe(r: Reading, at: number): void {
  r.owedFrom = at
}

export function settle(r: Reading): void {
  r.owedFrom = -1
  if (!r.owing) return
  r.out += r.owed
  r.owed = ''
  r.owing = false
}

/** Takes the owed text back; input goes on at `next`. */
export function revoke(r: Reading, next: number): void {
  copy(r, r.from)
  r.owed = ''
  r.owing = false
  r.from = next
}

/** Hands over what is certain before `at`: one piece for all is kinder than one per repair. */
export function flush(r: Reading, at: number): void {
  copy(r, at)
  if (r.out === '') return
  const piece = r.out
  r.out = ''
  r.sink.text(piece)
}
