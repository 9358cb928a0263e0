/** Names of tools as a dialect wants them, and back. */
import type { NameRule } from '../../core/dialect.ts'
import { hashOf } from './hash.ts'

export interface NameMap {
  /** The name on the wire. */
  encode(name: string): string
  /** The caller's own name. */
  decode(name: string): string
  /** True when no name had to be changed. */
  readonly isSame: boolean
}

const HASH_LENGTH = 8

/**
 * A map between the names of tools and what the rule allows. No two names meet on the wire; a name that is
 * not in the list, such as one from an old history, is fitted as well. `wish` says what a name that does not fit
 * should look like.
 */
export function createNameMap(
  names: Iterable<string>,
  rule: NameRule,
  wish: (name: string) => string = (name) => name,
): NameMap {
  const forth = new Map<string, string>()
  const back = new Map<string, string>()
  const list = [...new Set(names)]
  // Names that fit have the right to stay, whatever others would become.
  for (const name of list) if (fits(name, rule)) add(name, name)
  for (const name of list) if (!forth.has(name)) add(name, free(name))

  function add(name: string, written: string): string {
    forth.set(name, written)
    back.set(written, name)
    return written
  }

  function free(name: string): string {
    const wished = wish(name)
    const plain = fitted(wished, rule)
    if (!back.has(plain) && plain.length === wished.length && fits(plain, rule)) return plain
    const short = plain.slice(0, rule.maxLength - HASH_LENGTH - 1)
    for (let attempt = 0; ; attempt++) {
      const candidate = `${short}_${hexOf(`${attempt}:${name}`)}`
      if (!back.has(candidate)) return candidate
    }
  }

  return {
    encode: (name) =>
      forth.get(name) ?? add(name, fits(name, rule) && !back.has(name) ? name : free(name)),
    decode: (name) => back.get(name) ?? name,
    isSame: list.every((name) => forth.get(name) === name),
  }
}

function fits(name: string, { pattern, maxLength }: NameRule): boolean {
  return name.length <= maxLength && pattern.test(name)
}

/** Every character that the rule does not allow becomes `_`. */
function fitted(name: string, { pattern }: NameRule): string {
  const characters = Array.from(name, (character) =>
    pattern.test(`a${character}`) ? character : '_',
  )
  const text = characters.join('') || '_'
  return pattern.test(text) ? text : `_${text}`
}

function hexOf(text: string): string {
  return hashOf(text).toString(16).padStart(HASH_LENGTH, '0')
}
