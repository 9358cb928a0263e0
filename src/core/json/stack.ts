/** The open containers. Level 0 is the root, which is none. */
import { CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PAREN } from './codes.ts'
import { ARRAY, OBJECT, type Reading, ROOT, TUPLE } from './reading.ts'

function kindOf(closer: number): number {
  if (closer === CLOSE_BRACE) return OBJECT
  if (closer === CLOSE_BRACKET) return ARRAY
  return closer === CLOSE_PAREN ? TUPLE : -1
}

export function closes(kind: number, closer: number): boolean {
  return kind === kindOf(closer)
}

/** How the output closes the innermost container; tuples are written as arrays. */
export function closerText(r: Reading): string {
  return r.kind === OBJECT ? '}' : ']'
}

export function kindAt(r: Reading, level: number): number {
  return r.kinds[level] ?? ROOT
}

export function push(r: Reading, kind: number): void {
  r.depth++
  r.kind = kind
  r.kinds[r.depth] = kind
  r.slots[r.depth] = kind === OBJECT ? '' : 0
  r.doubled[r.depth] = 0
}

export function pop(r: Reading): void {
  r.depth--
  r.kind = kindAt(r, r.depth)
}

/** The innermost level whose container the bracket closes, 0 when there is none. */
export function levelOf(r: Reading, closer: number): number {
  return Math.max(0, r.kinds.lastIndexOf(kindOf(closer), r.depth))
}
