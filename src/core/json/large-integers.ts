/** Finds integers beyond 2^53, which `JSON.parse` rounds without a word. */
import type { JsonPath } from '../issue.ts'
import { createJsonReader } from './reader.ts'

export interface LargeInteger {
  readonly path: JsonPath
  readonly digits: string
}

const MANY_DIGITS = /\d{16}/
const INTEGER = /^-?\d{16,}$/

/** The unsafe integers in a JSON text, with their places. */
export function findLargeIntegers(json: string): LargeInteger[] {
  if (!MANY_DIGITS.test(json)) return []
  const found: LargeInteger[] = []
  const path: (string | number)[] = []
  let scalar: string | undefined
  const reader = createJsonReader(
    {
      text(piece: string): void {
        if (scalar !== undefined) scalar += piece
      },
      key(depth: number, key: string): void {
        path.length = depth
        path[depth - 1] = key
      },
      valueStart(depth: number, kind): void {
        path.length = depth
        const index = path[depth - 1]
        // Keys come before their value; an index is counted up by the value itself.
        if (typeof index === 'number') path[depth - 1] = index + 1
        if (kind === 'array') path[depth] = -1
        scalar = kind === 'scalar' ? '' : undefined
      },
      valueEnd(depth: number): void {
        if (scalar !== undefined && isUnsafe(scalar)) {
          found.push({ path: path.slice(0, depth), digits: scalar })
        }
        scalar = undefined
      },
    },
    { repair: 'off', maxDepth: Number.POSITIVE_INFINITY, watchDepth: Number.POSITIVE_INFINITY },
  )
  reader.read(json, 0, true)
  return found
}

function isUnsafe(text: string): boolean {
  return INTEGER.test(text) && !Number.isSafeInteger(Number(text))
}
