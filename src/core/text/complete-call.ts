/**
 * The common case first: a short call, complete and in valid JSON, whose closer is already there. It
 * is read by `JSON.parse`; everything else goes to the reader, which finds the same in this case.
 */
import { parseObject } from '../json/strict.ts'
import type { JsonObject } from '../json/value.ts'

export interface CompleteCall {
  readonly name: string
  /** The arguments, as written and as a value. */
  readonly json: string
  readonly value: JsonObject
  /** Index behind the closer. */
  readonly end: number
}

/** A body this short cannot be nested deeper than the limit on depth allows. */
export const MAX_BODY = 1000

/** Name first, then arguments, and nothing else: anything more needs a closer look. */
const HEAD =
  /^\{\s{0,8}"name"\s{0,8}:\s{0,8}"([^"\\]{1,128})"\s{0,8},\s{0,8}"arguments"\s{0,8}:\s{0,8}(?=\{)/

export function readCompleteCall(
  text: string,
  at: number,
  close: string,
): CompleteCall | undefined {
  const window = text.slice(at, at + MAX_BODY)
  const length = window.indexOf(close)
  if (length === -1) return undefined
  const body = window.slice(0, length).trimEnd()
  const head = HEAD.exec(body)
  const name = head?.[1]?.trim()
  if (!head || !name || !body.endsWith('}')) return undefined
  const json = body.slice(head[0].length, -1).trimEnd()
  const value = parseObject(json)
  return value && { name, json, value, end: at + length + close.length }
}
