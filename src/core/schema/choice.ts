/** Decides between the outcomes of one value under several alternatives. */
import type { JsonValue } from '../json/value.ts'
import { show } from './convert.ts'
import { equalJson } from './equal.ts'
import { fails, INCOMPLETE, NONE, type Outcome, PARTIAL, SAFE, WRAPPED } from './outcome.ts'
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
  const nearest = lowest(outcomes, distance)
  const [first] = nearest
  if (first && nearest.length === 1 && first.fit < NONE) return first
  if (!first || first.fit >= PARTIAL) return mismatch(value, alternatives)
  const unchanged = nearest.find((one) => one.fit === INCOMPLETE && one.value === value)
  return unchanged ?? pick(value, nearest)
}

/** Putting a value into a list of its own comes after everything else that satisfies the schema. */
function distance({ fit, risk }: Outcome): number {
  return fit < PARTIAL && risk < WRAPPED ? fit : fit + PARTIAL
}

function lowest(outcomes: readonly Outcome[], measure: (outcome: Outcome) => number): Outcome[] {
  const least = outcomes
    .map(measure)
    .reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  return outcomes.filter((outcome) => measure(outcome) === least)
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
  const different: Outcome[] = []
  for (const outcome of outcomes) {
    if (!different.some((one) => equalJson(one.value, outcome.value))) different.push(outcome)
  }
  const readings = different.map((outcome) => outcome.value)
  // Where one of them is text itself the order of types says nothing.
  const ordered = typeof value === 'string' && !readings.some((one) => typeof one === 'string')
  const [first, ...others] = ordered ? lowest(different, rank) : different
  return first && others.length === 0 ? first : ambiguity(value, readings)
}

// A reading that loses nothing comes before any guess, whatever its type: "1" is a number before
// it is a yes.
function rank({ value, risk }: Outcome): number {
  const type = typeOf(value) ?? 'object'
  return TEXT_ORDER.indexOf(type) + (risk > SAFE ? TEXT_ORDER.length : 0)
}

function describe({ type, members }: Alternative): string {
  if (!members) return type
  const shown = members.slice(0, MAX_MEMBERS_SHOWN).map(show).join(', ')
  return `one of ${shown}${members.length > MAX_MEMBERS_SHOWN ? ', …' : ''}`
}
