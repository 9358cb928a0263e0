/**
 * What became of one value under one schema. Outcomes form a tree beside the value and know no
 * paths: the same value is tried against several alternatives, and only the tree that is chosen in
 * the end is walked for its repairs and issues.
 */
import type { Issue, IssueCode, JsonPath, Repair } from '../issue.ts'
import type { JsonValue } from '../json/value.ts'

export interface Outcome {
  readonly value: JsonValue
  /**
   * `whole`: the value satisfies the schema. `incomplete`: but for missing or undeclared keys.
   * `partial`: something inside it does not. `none`: it does not itself.
   */
  readonly fit: 'whole' | 'incomplete' | 'partial' | 'none'
  readonly repairs: readonly Repair[]
  readonly faults: readonly Fault[]
  readonly children: readonly (readonly [key: string | number, outcome: Outcome])[]
  /** A value, here or inside, was put into an array of its own: the last thing to try. */
  readonly wrapped?: boolean
}

/** An issue that does not know its place yet. */
export interface Fault {
  readonly code: IssueCode
  readonly detail: string
}

const NOTHING: readonly never[] = []

export function fits(value: JsonValue): Outcome {
  return { value, fit: 'whole', repairs: NOTHING, faults: NOTHING, children: NOTHING }
}

export function fails(value: JsonValue, code: IssueCode, detail: string): Outcome {
  const faults = [{ code, detail }]
  return { value, fit: 'none', repairs: NOTHING, faults, children: NOTHING }
}

export function repaired(value: JsonValue, repair: Repair): Outcome {
  return { value, fit: 'whole', repairs: [repair], faults: NOTHING, children: NOTHING }
}

export function isGuess(outcome: Outcome): boolean {
  return (
    outcome.repairs.some(({ risk }) => risk === 'guess') ||
    outcome.children.some(([, child]) => isGuess(child))
  )
}

/** Walks an outcome and writes its repairs and issues down with their places. */
export function collect(
  outcome: Outcome,
  path: JsonPath,
  into: { readonly repairs: Repair[]; readonly issues: Issue[] },
): void {
  for (const repair of outcome.repairs) {
    into.repairs.push({ ...repair, path: [...path, ...repair.path] })
  }
  for (const { code, detail } of outcome.faults) {
    into.issues.push({ code, message: `${formatPath(path)}: ${detail}` })
  }
  for (const [key, child] of outcome.children) collect(child, [...path, key], into)
}

/** `$.items[0].n`; keys that are no identifiers are quoted. */
export function formatPath(path: JsonPath): string {
  return `$${path.map(formatStep).join('')}`
}

function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`
  return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}
