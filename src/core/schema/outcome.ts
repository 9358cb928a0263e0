/**
 * What became of a value that does not fit its schema as it is. Outcomes form a tree beside the value
 * and know no paths: the same value is tried against several alternatives, and only the tree that is
 * chosen in the end is walked for its repairs and issues.
 */
import type { Issue, IssueCode, JsonPath, Repair } from '../issue.ts'
import type { JsonValue } from '../json/value.ts'

export interface Outcome {
  readonly value: JsonValue
  /** How far the value satisfies the schema now: {@link WHOLE} and so on, the lower the better. */
  readonly fit: number
  /** The most daring change, here or inside: {@link SAFE} and so on. */
  readonly risk: number
  readonly notes: readonly Note[]
  readonly children: readonly Child[]
}

export type Child = readonly [key: string | number, outcome: Outcome]

/** A repair, or an issue that does not know its place yet. */
export type Note = Repair | Fault

export interface Fault {
  readonly code: IssueCode
  readonly detail: string
}

/** The value satisfies the schema. */
export const WHOLE = 0
/** But for missing or undeclared keys. */
export const INCOMPLETE = 1
/** Something inside it does not. */
export const PARTIAL = 2
/** It does not itself. */
export const NONE = 3

export const SAFE = 0
const GUESS = 1
/** A value was put into an array of its own: the last thing to try. */
export const WRAPPED = 2

export function fails(value: JsonValue, code: IssueCode, detail: string): Outcome {
  return { value, fit: NONE, risk: SAFE, notes: [{ code, detail }], children: [] }
}

export function repaired(
  value: JsonValue,
  repair: Repair,
  others: readonly Repair[] = [],
): Outcome {
  const risk = repair.risk === 'guess' ? GUESS : SAFE
  return { value, fit: WHOLE, risk, notes: [repair, ...others], children: [] }
}

/** Walks an outcome and writes its repairs and issues down with their places. */
export function collect(
  { notes, children }: Outcome,
  path: JsonPath,
  into: { readonly repairs: Repair[]; readonly issues: Issue[] },
): void {
  for (const note of notes) {
    if ('risk' in note) into.repairs.push({ ...note, path: [...path, ...note.path] })
    else into.issues.push({ code: note.code, message: `${formatPath(path)}: ${note.detail}` })
  }
  for (const [key, child] of children) collect(child, [...path, key], into)
}

/** `$.items[0].n`; keys that are no identifiers are quoted. */
export function formatPath(path: JsonPath): string {
  return `$${path.map(formatStep).join('')}`
}

function formatStep(step: string | number): string {
  return /^[A-Za-z_$][\w$]*$/.test(String(step)) ? `.${step}` : `[${JSON.stringify(step)}]`
}
