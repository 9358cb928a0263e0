/** Writes calls and results as JSON between markers. */
import { writeJson } from '../json/write.ts'
import type { ToolResult } from '../model.ts'
import type { Protocol, ResultPlace } from '../protocol.ts'
import { answeredCall, formatResultText } from '../result-text.ts'

/** With a third key, the id of the call is written first: readers need it before the arguments. */
export function writeJsonCall(
  open: string,
  close: string,
  [nameKey, argumentsKey, idKey]: readonly [string, string, string?] = ['name', 'arguments'],
): Protocol['formatCall'] {
  return ({ id, name, arguments: args }) => {
    const ids = idKey !== undefined && id ? { [idKey]: id } : {}
    return open + writeJson({ ...ids, [nameKey]: name, [argumentsKey]: args }) + close
  }
}

/** An object that no reader takes for a call: `{"name": …, "answers": "call 2 of 3", "content": …}`. */
export function writeJsonResult(
  result: ToolResult,
  place: ResultPlace | undefined,
  [nameKey, contentKey, idKey]: readonly [string, string, string?] = ['name', 'content'],
): string {
  const answers = answeredCall(place)
  return writeJson({
    [nameKey]: result.name,
    ...(idKey !== undefined && result.callId && { [idKey]: result.callId }),
    ...(answers !== undefined && { answers }),
    [contentKey]: formatResultText(result),
  })
}
