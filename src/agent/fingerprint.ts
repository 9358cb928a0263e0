/** Short names for calls and turns, equal when they are. */
import type { JsonValue } from '../core/json/value.ts'
import type { ToolCall, ToolResult } from '../core/model.ts'

/** Two halves of 32 bits: short, and enough to tell the turns of one conversation apart. */
function hashOf(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x85ebca6b)
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36)
}

/** JSON in which the order of keys does not count. */
function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function callFingerprint({ name, arguments: args }: ToolCall): string {
  return `${name} ${canonicalJson(args)}`
}

/** What was called and what came of it, whatever the order. */
export function turnFingerprint(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
): string {
  const called = calls.map(callFingerprint).sort()
  const answered = results.map(({ content }) => JSON.stringify(content)).sort()
  return hashOf(JSON.stringify([called, answered]))
}

/**
 * The key under which a call runs at most once. The id of the call is no part of it: a provider gives
 * another one when it is asked again after a crash.
 */
export function callKey(run: string, step: number, position: number, call: ToolCall): string {
  return `${run}:${step}:${position}:${call.name}:${hashOf(canonicalJson(call.arguments))}`
}
