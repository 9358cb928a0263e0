/** Names that differ only in case and in how words are set apart. */
import type { JsonObject } from '../json/value.ts'
import { remembering } from '../remember.ts'
import type { Fault } from './outcome.ts'
import type { Alternative } from './resolve.ts'

export interface Renames {
  /** From the key that was written to the property it spells. */
  readonly names: ReadonlyMap<string, string>
  readonly faults: readonly Fault[]
}

const SEPARATORS = /[\s_-]+/g

const indexOf = remembering(({ properties }: Alternative) => groupByFold(properties.keys()))

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
 * property, or two properties for one key, stay as they are.
 */
export function findRenames(object: JsonObject, wanted: Alternative): Renames | undefined {
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
  return { names, faults }
}

// Where the schema invites other keys by saying so, a key is taken at its word unless the property
// it spells must be there.
function isOpen(name: string, object: JsonObject, wanted: Alternative): boolean {
  if (Object.hasOwn(object, name)) return false
  return !wanted.additional || wanted.required.includes(name)
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
