/** Names that differ only in case, in how words are set apart, or by a slip of one letter. */
import { firstDifference } from '../first-difference.ts'
import type { JsonObject } from '../json/value.ts'
import { remembering } from '../remember.ts'
import type { Fault } from './outcome.ts'
import type { Alternative } from './resolve.ts'

export interface Renames {
  /** From the key that was written to the property it spells. */
  readonly names: ReadonlyMap<string, string>
  /** Those of the keys that have a letter too few or too many, or two of them swapped. */
  readonly slips: ReadonlySet<string>
  readonly faults: readonly Fault[]
}

const SEPARATORS = /[\s_-]+/g

/** Shorter names have too many others that are one letter away. */
const SHORTEST = 3
/** More undeclared keys than this are data, not slips. */
const MOST_SLIPS = 8

const indexOf = remembering(({ properties }: Alternative) => groupByFold(properties.keys()))
const requiredBy = remembering(({ required }: Alternative) => new Set(required))

/** Declared names by the length they have when folded: a slip changes it by one letter at most. */
const lengthsOf = remembering(({ properties }: Alternative) => {
  const groups = new Map<number, Named[]>()
  for (const name of properties.keys()) {
    const folded = foldName(name)
    const group = groups.get(folded.length)
    if (group) group.push({ name, folded })
    else groups.set(folded.length, [{ name, folded }])
  }
  return groups
})

interface Named {
  readonly name: string
  readonly folded: string
}

/** What `user_id`, `User-ID`, `userId` and `user id` have in common. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(SEPARATORS, '')
}

/** The declared properties that a key may spell. */
export function namesLike(key: string, wanted: Alternative): readonly string[] {
  return indexOf(wanted).get(foldName(key)) ?? []
}

/**
 * Which undeclared keys spell a declared property that is not there itself. Two keys for one
 * property, or two properties for one key, stay as they are. Slips are looked for while the allowance lasts.
 */
export function findRenames(
  object: JsonObject,
  wanted: Alternative,
  allowance: { left: number },
): Renames | undefined {
  const { properties } = wanted
  if (properties.size === 0 || wanted.patterns.length > 0) return undefined
  const unknown: string[] = []
  for (const key of Object.keys(object)) if (!properties.has(key)) unknown.push(key)
  if (unknown.length === 0) return undefined
  const index = indexOf(wanted)
  const names = new Map<string, string>()
  const faults: Fault[] = []
  for (const [folded, keys] of groupByFold(unknown)) {
    const open = (index.get(folded) ?? []).filter((name) => isOpen(name, object, wanted))
    const [key] = keys
    const [name] = open
    if (key === undefined || name === undefined) continue
    if (keys.length === 1 && open.length === 1) names.set(key, name)
    else faults.push({ code: 'ambiguous-value', detail: `${list(keys)} could be ${list(open)}` })
  }
  const slips = findSlips(
    unknown.filter((key) => !index.has(foldName(key))),
    object,
    wanted,
    allowance,
  )
  for (const [key, name] of slips) names.set(key, name)
  return { names, slips: new Set(slips.keys()), faults }
}

/** Which keys miss a declared property by one letter, where neither could mean another. */
function findSlips(
  unknown: readonly string[],
  object: JsonObject,
  wanted: Alternative,
  allowance: { left: number },
): Map<string, string> {
  const slips = new Map<string, string>()
  if (wanted.additional || unknown.length === 0 || unknown.length > MOST_SLIPS) return slips
  for (const key of unknown) {
    const written = foldName(key)
    const lengths = [written.length - 1, written.length, written.length + 1]
    const groups = lengths.map((length) => lengthsOf(wanted).get(length) ?? [])
    for (const { length } of groups) allowance.left -= length
    if (allowance.left < 0) return slips
    const close = groups.flat()
    const near = close.filter(({ folded }) => isSlip(written, folded))
    const name = near[0]?.name
    if (name !== undefined && near.length === 1 && isOpen(name, object, wanted)) {
      slips.set(key, name)
    }
  }
  const meant = [...slips.values()]
  for (const [key, name] of slips) {
    if (meant.filter((other) => other === name).length > 1) slips.delete(key)
  }
  return slips
}

/** True when a letter was left out, added, or swapped with its neighbour. A digit makes another name. */
function isSlip(written: string, meant: string): boolean {
  if (Math.min(written.length + 1, meant.length) < SHORTEST) return false
  if (written.length === meant.length) return isSwapped(written, meant)
  return isWithoutLetter(written, meant) || isWithoutLetter(meant, written)
}

function isWithoutLetter(short: string, long: string): boolean {
  if (short.length + 1 !== long.length) return false
  const at = firstDifference(short, long)
  return short.slice(at) === long.slice(at + 1) && !/\d/.test(long.charAt(at))
}

function isSwapped(one: string, other: string): boolean {
  const at = firstDifference(one, other)
  const [first = '', second = ''] = one.slice(at, at + 2)
  return (
    other === one.slice(0, at) + second + first + one.slice(at + 2) && !/\d/.test(first + second)
  )
}

// Where the schema invites other keys by saying so, a key is taken at its word unless the property
// it spells must be there.
function isOpen(name: string, object: JsonObject, wanted: Alternative): boolean {
  if (Object.hasOwn(object, name)) return false
  return !wanted.additional || requiredBy(wanted).has(name)
}

function groupByFold(names: Iterable<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const folded = foldName(name)
    const group = groups.get(folded)
    if (group) group.push(name)
    // A name of nothing but separators would match every other such name.
    else if (folded !== '') groups.set(folded, [name])
  }
  return groups
}

function list(names: readonly string[]): string {
  return names
    .slice(0, 4)
    .map((name) => JSON.stringify(name.slice(0, 80)))
    .join(' or ')
}
