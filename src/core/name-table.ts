/** Values that people ask for by name: their ids, other names, and any spelling of these. */
import { InvalidInputError } from './errors.ts'
import { hintAt, nearest } from './nearest.ts'

export interface Named {
  readonly id: string
  /** As people write it. */
  readonly name?: string
  /** Other names that mean the same. */
  readonly aliases?: readonly string[]
}

export interface NameTable<Value extends Named> {
  /** The value with this id or alias, whatever its case and however its words are separated. */
  find(written: string): Value | undefined
  /** The id that was probably meant by a name which nobody has. */
  nearest(written: string): string | undefined
}

export function createNameTable<Value extends Named>(values: readonly Value[]): NameTable<Value> {
  const bySpelling = new Map<string, Value>()
  // Ids before aliases: where two values share a spelling, the one that is called so wins.
  const spellings = [
    ...values.map((value) => [value.id, value] as const),
    ...values.flatMap((value) => namesOf(value).map((name) => [name, value] as const)),
  ]
  for (const [name, value] of spellings) {
    const key = spellingOf(name)
    if (!bySpelling.has(key)) bySpelling.set(key, value)
  }
  const find = (written: string): Value | undefined => bySpelling.get(spellingOf(written))

  return {
    find,
    nearest(written) {
      const ids = values.map(({ id }) => id)
      const meant = nearest(written, [...ids, ...values.flatMap(namesOf)])
      return meant === undefined ? undefined : find(meant)?.id
    },
  }
}

/** An error for a name that nobody has: it says which was meant, or else which there are. */
export function unknownName(
  noun: string,
  written: unknown,
  known: readonly string[],
  meant: string | undefined = nearest(String(written), known),
): InvalidInputError {
  const hint = hintAt(meant) || `; known are: ${known.join(', ')}`
  return new InvalidInputError(`unknown ${noun} ${quoted(written)}${hint}`)
}

/** JSON, because a caller without types passes anything. */
function quoted(written: unknown): string {
  return JSON.stringify(typeof written === 'string' ? written : String(written))
}

function namesOf({ name, aliases = [] }: Named): string[] {
  return [...aliases, ...(name === undefined ? [] : [name])]
}

/** What is left of a name when case and separators do not count: `GITHUB_MODELS` is `github-models`. */
function spellingOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
