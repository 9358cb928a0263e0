/** Decides between the outcomes of one value under several alternatives. */
import type { JsonValue } from '../json/value.ts'
import { show } from './convert.ts'
import { equalJson } from './equal.ts'
import { fails, isGuess, type Outcome } from './outcome.ts'
import { type Alternative, type TypeName, typeOf } from './resolve.ts'

/** Which type a text is meant to be where several are possible and text is not. */
const TEXT_ORDER: readonly TypeName[] = ['null', 'boolean', 'integer', 'number', 'array', 'object']

const MAX_MEMBERS_SHOWN = 8

/**
 * The outcome that was meant. The nearer an alternative is satisfied, the likelier it is; among
 * equals the only one wins, and several leave the value as it is.
 */
export function chooseOutcome(
  value: JsonValue,
  alternatives: readonly Alternative[],
  outcomes: readonly Outcome[],
): Outcome {
  const kept = outcomes.filter(({ wrapped }) => !wrapped)
  const wrapped = outcomes.filter((outcome) => outcome.wrapped)
  const [partial, ...others] = outcomes.filter(({ fit }) => fit === 'partial')
  return (
    nearest(value, kept) ??
    nearest(value, wrapped) ??
    (partial && others.length === 0 ? partial : mismatch(value, alternatives))
  )
}

/** Undefined when none of the outcomes satisfies its alternative, not even incompletely. */
function nearest(value: JsonValue, outcomes: readonly Outcome[]): Outcome | undefined {
  const whole = outcomes.filter(({ fit }) => fit === 'whole')
  if (whole.length > 0) return pick(value, whole)
  const incomplete = outcomes.filter(({ fit }) => fit === 'incomplete')
  const unchanged = incomplete.find((outcome) => outcome.value === value)
  return unchanged ?? (incomplete.length > 0 ? pick(value, incomplete) : undefined)
}

/** The value stays because no alternative can be reached from it. */
export function mismatch(value: JsonValue, alternatives: readonly Alternative[]): Outcome {
  const expected = alternatives.map(describe).join(' or ') || 'nothing'
  return fails(value, 'schema-mismatch', `expected ${expected}, got ${show(value)}`)
}

/** The value stays because it can be read in more than one way. */
export function ambiguity(value: JsonValue, readings: readonly JsonValue[]): Outcome {
  const shown = readings.slice(0, MAX_MEMBERS_SHOWN).map(show).join(' or ')
  return fails(value, 'ambiguous-value', `${show(value)} could be ${shown}`)
}

function pick(value: JsonValue, outcomes: readonly Outcome[]): Outcome {
  const different = distinct(outcomes)
  const likeliest = typeof value === 'string' ? findLikeliest(different) : different
  const [first, ...others] = likeliest
  if (first && others.length === 0) return first
  return ambiguity(
    value,
    different.map((outcome) => outcome.value),
  )
}

function distinct(outcomes: readonly Outcome[]): Outcome[] {
  const kept: Outcome[] = []
  for (const outcome of outcomes) {
    if (!kept.some(({ value }) => equalJson(value, outcome.value))) kept.push(outcome)
  }
  return kept
}

/** All of them where one is text itself: then the order of types says nothing. */
function findLikeliest(outcomes: readonly Outcome[]): readonly Outcome[] {
  if (outcomes.some(({ value }) => typeof value === 'string')) return outcomes
  const best = Math.min(...outcomes.map(rank))
  return outcomes.filter((outcome) => rank(outcome) === best)
}

// A reading that loses nothing comes before any guess, whatever its type: "1" is a number before
// it is a yes.
function rank(outcome: Outcome): number {
  const type = typeOf(outcome.value) ?? 'object'
  return TEXT_ORDER.indexOf(type) + (isGuess(outcome) ? TEXT_ORDER.length : 0)
}

function describe({ type, members }: Alternative): string {
  if (!members) return type
  const shown = members.slice(0, MAX_MEMBERS_SHOWN).map(show).join(', ')
  return `one of ${shown}${members.length > MAX_MEMBERS_SHOWN ? ', …' : ''}`
}
