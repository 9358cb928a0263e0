/** Where values, keys and containers begin and end. */

import {
  AFTER_KEY,
  AFTER_VALUE,
  FIRST_ITEM,
  FIRST_KEY,
  fail,
  ITEM,
  type JsonKind,
  KEY,
  MEMBER_VALUE,
  OBJECT,
  type Reading,
  report,
  reportAround,
  TUPLE,
} from './reading.ts'
import { closerText, pop, push } from './stack.ts'
import { copy, flush, owe, replace, revoke, settle } from './tape.ts'

export function beginValue(r: Reading, kind: JsonKind, at: number): void {
  settle(r)
  if (r.depth > r.watchDepth) return
  flush(r, at)
  r.sink.valueStart?.(r.depth, kind)
}

export function endValue(r: Reading, at: number): number {
  if (r.depth <= r.watchDepth) {
    flush(r, at)
    r.sink.valueEnd?.(r.depth, at)
  }
  if (r.depth > 0) r.state = AFTER_VALUE
  else if (r.status === 'open') r.status = 'done'
  return at
}

export function beginKey(r: Reading, at: number): void {
  if (r.state === FIRST_KEY) owe(r, at)
}

export function endKey(r: Reading, at: number): number {
  copy(r, at)
  const raw = r.owed.slice(r.keyAt)
  // The cast: the text of a JSON string.
  nameKey(r, raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1))
  r.state = AFTER_KEY
  return at
}

export function nameKey(r: Reading, key: string): void {
  r.slots[r.depth] = key
  r.isKey = false
  if (r.keyRepairs.length > 0) {
    for (const repair of r.keyRepairs) report(...repair)
    r.keyRepairs = []
  }
  if (r.depth <= r.watchDepth) r.sink.key?.(r.depth, key)
}

export function openContainer(r: Reading, kind: number, at: number): number {
  if (r.depth >= r.maxDepth) {
    fail(r, 'depth')
    return at
  }
  if (kind === TUPLE && !report(r, 'replaced-bracket', 'safe', '(', '[')) return at
  beginValue(r, kind === OBJECT ? 'object' : 'array', at)
  if (kind === TUPLE) replace(r, at, at + 1, '[')
  push(r, kind)
  r.state = kind === OBJECT ? FIRST_KEY : FIRST_ITEM
  return at + 1
}

export function closeContainer(r: Reading, at: number): number {
  pop(r)
  return endValue(r, at)
}

/** Goes on to the next member or item, whose comma stands at `at`. */
export function beginNext(r: Reading, at: number): void {
  owe(r, at)
  r.state = r.kind === OBJECT ? KEY : ITEM
  // The cast: only objects have names in their slots.
  if (r.state === ITEM) r.slots[r.depth] = (r.slots[r.depth] as number) + 1
}

/** Supplies what is missing before the container can be closed at `at`. */
export function completeMember(r: Reading, at: number): boolean {
  if (r.state === AFTER_KEY || r.state === MEMBER_VALUE) return addNull(r, at)
  if (r.state !== ITEM && r.state !== KEY) return true
  if (!reportAround(r, 'dropped-comma', 'safe', ',', '')) return false
  revoke(r, at)
  r.state = AFTER_VALUE
  return true
}

export function addNull(r: Reading, at: number): boolean {
  if (!report(r, 'added-null', 'guess', '', 'null')) return false
  if (r.state === AFTER_KEY) replace(r, at, at, ':')
  beginValue(r, 'scalar', at)
  replace(r, at, at, 'null')
  endValue(r, at)
  return true
}

/** Closes the containers above `level` before `at`. */
export function addClosers(r: Reading, level: number, at: number): void {
  while (r.depth > level) {
    const closer = closerText(r)
    if (!completeMember(r, at) || !reportAround(r, 'added-bracket', 'guess', '', closer)) return
    replace(r, at, at, closer)
    closeContainer(r, at)
  }
}
