/**
 * The common case first: a call that is complete and in valid JSON, whose closer is already there. It
 * is read by `JSON.parse`; everything else goes to the reader, which finds the same in this case.
 */
import { parseObject } from '../json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { ReadContext } from '../protocol.ts'

export interface CompleteCall {
  readonly name: string
  /** The arguments, as written and as a value. */
  readonly json: string
  readonly value: JsonObject
  /** Index behind the closer. */
  readonly end: number
}

/** Name first, then arguments, and nothing else: anything more needs a closer look. */
const HEAD =
  /\{\s{0,8}"name"\s{0,8}:\s{0,8}"([^"\\]{1,128})"\s{0,8},\s{0,8}"arguments"\s{0,8}:\s{0,8}(?=\{)/y

/** The name of the call at `at`, once its arguments begin. */
export function callName(text: string, at: number): string | undefined {
  HEAD.lastIndex = at
  return HEAD.exec(text)?.[1]?.trim() || undefined
}

export function readCompleteCall(
  context: ReadContext,
  text: string,
  at: number,
  close: string,
): CompleteCall | undefined {
  const name = callName(text, at)
  if (name === undefined) return undefined
  const start = HEAD.lastIndex
  const closer = context.find(text, close, start)
  if (closer === -1) return undefined
  const body = text.slice(start, closer).trimEnd()
  if (!body.endsWith('}')) return undefined
  const json = body.slice(0, -1).trimEnd()
  const value = parseObject(json)
  const { maxDepth } = context.limits
  // Each level takes two characters and the envelope is one more, so short ones cannot be too deep.
  if (!value || (json.length >= 2 * maxDepth && !isWithin(value, maxDepth - 1))) return undefined
  return { name, json, value, end: closer + close.length }
}

function isWithin(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  const items = isJsonObject(value) ? Object.values(value) : value
  return items.every((item) => isWithin(item, depth - 1))
}
