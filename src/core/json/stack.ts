import type { JsonPath } from '../issue.ts'
import { CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PAREN } from './codes.ts'

/** Container kinds; a tuple is an array that was opened by a parenthesis. */
export const ROOT = 0
export const OBJECT = 1
export const ARRAY = 2
export const TUPLE = 3

/** The open containers. Level 0 is the root, which is none. */
export interface Stack {
  depth: number
  /** Kind of the innermost container. */
  kind: number
  kindAt(level: number): number
  push(kind: number): void
  pop(): void
  setKey(key: string): void
  nextIndex(): void
  /** How often the innermost object's brace was doubled, as templates leak `{{`. */
  doubled: number
  /** Path to the value being read in the container at `level`. */
  path(level: number): JsonPath
  /** The innermost level whose container the bracket closes, 0 when there is none. */
  levelOf(closer: number): number
}

export function closes(kind: number, closer: number): boolean {
  if (kind === OBJECT) return closer === CLOSE_BRACE
  if (kind === ARRAY) return closer === CLOSE_BRACKET
  return kind === TUPLE && closer === CLOSE_PAREN
}

/** How the output closes a container; tuples are written as arrays. */
export function closerText(kind: number): string {
  return kind === OBJECT ? '}' : ']'
}

export function createStack(): Stack {
  const kinds = [ROOT]
  const slots: (string | number)[] = [0]
  const doubles = [0]
  /** Open containers per kind: a hostile run of closers must not walk the stack each time. */
  const open = [0, 0, 0, 0]
  const stack: Stack = {
    depth: 0,
    kind: ROOT,
    doubled: 0,
    kindAt: (level: number): number => kinds[level] ?? ROOT,
    push(kind: number): void {
      doubles[stack.depth] = stack.doubled
      stack.depth++
      stack.kind = kind
      stack.doubled = 0
      kinds[stack.depth] = kind
      slots[stack.depth] = kind === OBJECT ? '' : 0
      open[kind] = (open[kind] ?? 0) + 1
    },
    pop(): void {
      open[stack.kind] = (open[stack.kind] ?? 0) - 1
      stack.depth--
      stack.kind = kinds[stack.depth] ?? ROOT
      stack.doubled = doubles[stack.depth] ?? 0
    },
    setKey(key: string): void {
      slots[stack.depth] = key
    },
    nextIndex(): void {
      slots[stack.depth] = (slots[stack.depth] as number) + 1
    },
    path: (level: number): JsonPath => slots.slice(1, level + 1),
    levelOf(closer: number): number {
      const kind = closer === CLOSE_BRACE ? OBJECT : closer === CLOSE_BRACKET ? ARRAY : TUPLE
      if (open[kind] === 0) return 0
      let level = stack.depth
      while (level > 0 && kinds[level] !== kind) level--
      return level
    },
  }
  return stack
}
