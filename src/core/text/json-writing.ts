/** Writes calls as JSON between markers. */
import { writeJson } from '../json/write.ts'
import type { Protocol } from '../protocol.ts'

export function writeJsonCall(
  open: string,
  close: string,
  [nameKey, argumentsKey]: readonly [string, string] = ['name', 'arguments'],
): Protocol['formatCall'] {
  return ({ name, arguments: args }) =>
    open + writeJson({ [nameKey]: name, [argumentsKey]: args }) + close
}
