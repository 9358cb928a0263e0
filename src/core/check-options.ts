/**
 * Options from callers without types. A key that nobody reads is a mistake: the option that was meant would
 * have no effect, and nothing would say so.
 */
import { checkObject } from './caller-input.ts'
import { InvalidInputError } from './errors.ts'
import { nearest } from './nearest.ts'

/** Every option of an interface: one that is missing here, or is none, does not compile. */
export type OptionKeys<Options> = { readonly [Key in keyof Required<Options>]: 0 }

/**
 * @param of The function, as its caller writes it.
 * @param example Options that are right, as its caller writes them.
 * @throws InvalidInputError for what is no object, and for an unknown key.
 */
export function checkKeys(
  of: string,
  options: unknown,
  keys: Readonly<Record<string, 0>>,
  example: string,
): void {
  checkObject(`the options of ${of}`, options, `an object, as in ${example}`)
  for (const [key, value] of Object.entries(options as object)) {
    if (Object.hasOwn(keys, key) || value === undefined) continue
    throw new InvalidInputError(`${of}: ${unknownKey(key, Object.keys(keys))}`)
  }
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`
  return `unknown option "${key}"; ${hint}`
}
