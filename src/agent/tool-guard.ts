/** Advice for a model that fails with the same tool again and again. */
import type { Failure } from './journal.ts'

const SAME_CALL = 2
const SAME_TOOL = 3

/** What to tell the model once this call has failed, too; undefined: nothing yet. */
export function guidance(failures: readonly Failure[], failed: Failure): string | undefined {
  const { name } = failed
  const ofTool = failures.filter((failure) => failure.name === name)
  const same = ofTool.filter((failure) => failure.arguments === failed.arguments).length + 1
  if (same >= SAME_CALL) {
    return `${name} has failed ${same} times with the same arguments. Change them or go another way.`
  }
  const count = ofTool.length + 1
  if (count < SAME_TOOL) return undefined
  return `${name} has failed ${count} times in a row. Read its description again or go another way.`
}
