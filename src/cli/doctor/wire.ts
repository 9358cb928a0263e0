/** What a server wrote on the wire about its calls, before anybody put it right. */
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import type { CallTraits } from './examined.ts'

export interface Check {
  readonly status: 'ok' | 'warning' | 'skipped'
  readonly detail: string
}

/** An id that is not in what came was made up by us: it was missing, or stood there twice. */
export function checkIds(calls: readonly ToolCall[], raw: string, { ids }: CallTraits): Check {
  if (!ids) return { status: 'skipped', detail: 'this dialect needs none' }
  const kept = calls.filter(({ id }) => raw.includes(JSON.stringify(id)))
  if (kept.length === calls.length) {
    return { status: 'ok', detail: calls.length > 1 ? 'present and unique' : 'present' }
  }
  const made = calls.length - kept.length
  return { status: 'warning', detail: `missing or used twice, in ${made} of ${calls.length} calls` }
}

export function checkFinish(raw: string, { finish }: CallTraits): Check {
  if (!finish) return { status: 'skipped', detail: 'this dialect has no word for calls' }
  const [field, word] = finish
  // Quotes inside of strings are escaped, so nothing that a model says can look like the field.
  const found = [...raw.matchAll(new RegExp(`"${field}"\\s*:\\s*"(\\w+)"`, 'g'))].at(-1)?.[1]
  if (found === word) return { status: 'ok', detail: word }
  return { status: 'warning', detail: `${found ?? 'none'} instead of ${word}` }
}

/** Each call of a stream has its own number, from 0 on. */
export function checkIndexes(count: number, raw: string, { indexes }: CallTraits): Check {
  if (!indexes) return { status: 'skipped', detail: 'not in this dialect' }
  const seen = new Set(callPieces(raw).map(({ index }) => index))
  if (seen.size === 0) return { status: 'warning', detail: 'the reply came whole, not in a stream' }
  if (seen.has(undefined)) return { status: 'warning', detail: 'missing' }
  const isRight =
    seen.size === count && Array.from({ length: count }, (_, at) => at).every((at) => seen.has(at))
  const shown = [...seen].map((index) => JSON.stringify(index)).join(', ')
  if (isRight) return { status: 'ok', detail: shown }
  return { status: 'warning', detail: `${shown} for ${count} ${count === 1 ? 'call' : 'calls'}` }
}

type Piece = { readonly index?: unknown }

function callPieces(raw: string): Piece[] {
  return raw
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? objectsIn([parse(line.slice(5))]) : []))
    .flatMap(({ choices }: JsonObject) => objectsIn(choices))
    .flatMap(({ delta }) => (isJsonObject(delta) ? objectsIn(delta['tool_calls']) : []))
}

function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
