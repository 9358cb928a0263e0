import { expect, test } from 'vitest'
import { finishReasonOf } from './finish-reason.ts'

test.for<[word: unknown, plain: string | undefined, withCalls: string]>([
  ['stop', 'stop', 'tool-calls'],
  ['STOP', 'stop', 'tool-calls'],
  ['end_turn', 'stop', 'tool-calls'],
  ['COMPLETE', 'stop', 'tool-calls'],
  ['tool_calls', 'stop', 'tool-calls'],
  ['TOOL_CALL', 'stop', 'tool-calls'],
  ['tool_use', 'stop', 'tool-calls'],
  ['length', 'length', 'length'],
  ['max_tokens', 'length', 'length'],
  ['MAX_TOKENS', 'length', 'length'],
  ['max_output_tokens', 'length', 'length'],
  ['SAFETY', 'content-filter', 'content-filter'],
  ['refusal', 'content-filter', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'error', 'error'],
  ['cancelled', 'error', 'error'],
  ['abort', 'error', 'error'],
  ['', undefined, 'tool-calls'],
  ['never seen', undefined, 'tool-calls'],
  [null, undefined, 'tool-calls'],
])('%j is %s without calls and %s with them', ([word, plain, withCalls]) => {
  expect(finishReasonOf(word, false)).toBe(plain)
  expect(finishReasonOf(word, true)).toBe(withCalls)
})
