/** Comparing what was found with what a case expects. */
import type { ToolCall } from '../src/index.ts'
import type { Case, ExpectedCall } from './case.ts'

/** One thing that is not as expected. Values are told as they are; the report writes them. */
export interface Difference {
  readonly at: string
  readonly expected: unknown
  readonly got: unknown
}

/** Only what the case checks is compared; without a check of the count, more calls are no fault. */
export function compareCalls(expected: Case, got: readonly ToolCall[]): Difference[] {
  const { calls, checks } = expected
  if (checks.count && calls.length !== got.length) {
    return [{ at: 'calls', expected: calls.map(shortened), got: got.map(shortened) }]
  }
  return calls.flatMap((call, index) =>
    compareCall(expected, call, got[index], `call ${index + 1}`),
  )
}

function compareCall(
  { checks }: Case,
  expected: ExpectedCall,
  got: ToolCall | undefined,
  at: string,
): Difference[] {
  if (!got) {
    const needed = checks.names || checks.arguments
    return needed ? [{ at, expected: shortened(expected), got: undefined }] : []
  }
  const differences: Difference[] = []
  if (checks.names && expected.name !== got.name) {
    differences.push({ at: `${at} name`, expected: expected.name, got: got.name })
  }
  if (checks.arguments) {
    differences.push(...compareValues(expected.arguments, got.arguments, `${at} arguments`))
  }
  return differences
}

function shortened({ name, arguments: values }: ExpectedCall): ExpectedCall {
  return { name, arguments: values }
}

/** Key order means nothing, and `-0` equals `0`, as in JSON. */
export function compareValues(expected: unknown, got: unknown, at: string): Difference[] {
  if (expected === got) return []
  if (isRecord(expected) && isRecord(got)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
    return keys.flatMap((key) =>
      compareValues(ownValue(expected, key), ownValue(got, key), `${at}.${key}`),
    )
  }
  if (Array.isArray(expected) && Array.isArray(got) && expected.length === got.length) {
    return expected.flatMap((value, index) => compareValues(value, got[index], `${at}[${index}]`))
  }
  return [{ at, expected, got }]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A key such as `constructor` must not be found on the prototype. */
function ownValue(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** White space at both ends is not compared: servers differ in what they trim. */
export function compareTexts(expected: string, got: string, at: string): Difference[] {
  return expected.trim() === got.trim() ? [] : [{ at, expected, got }]
}
