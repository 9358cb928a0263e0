/** A whole text as one JSON value: `JSON.parse` decides first, then the tolerant reader. */
import type { Repair } from '../issue.ts'
import type { RepairLevel } from '../options.ts'
import { createJsonReader, type JsonReaderOptions } from './reader.ts'
import type { JsonValue } from './value.ts'

export interface ReadJson {
  /** Undefined when the text has no value in it. */
  readonly value: JsonValue | undefined
  /** False when the text stopped before its value did, or goes on behind it. */
  readonly complete: boolean
  readonly repairs: Repair[]
}

/** Saves the price of an exception where the first characters rule JSON out. */
const CANNOT_BE_JSON = /^\s{0,64}(?:\{\s{0,64}[^"}\s]|[^\s{["\d\-tfn])/
const MAX_QUOTED = 200

/** Reads a text that is JSON and nothing else, repairing what models get wrong. Never throws. */
export function readJson(
  text: string,
  options: { readonly repair?: RepairLevel; readonly maxDepth?: number } = {},
): ReadJson {
  const parsed = parseJson(text)
  if (parsed !== undefined) return { value: parsed, complete: true, repairs: [] }
  const repairs: Repair[] = []
  if (text.trim() === '') return { value: undefined, complete: false, repairs }
  const { json, end, complete } = readBroken(text, 0, true, options, repairs)
  const rest = complete ? text.slice(end).trim() : ''
  if (rest !== '') repairs.push(droppedText(rest))
  return {
    value: json === undefined || !allAllowed(repairs, options.repair) ? undefined : toValue(json),
    complete: complete && rest === '',
    repairs,
  }
}

/** What `JSON.parse` makes of the text; undefined when it refuses. */
export function parseJson(text: string): JsonValue | undefined {
  if (CANNOT_BE_JSON.test(text) || isCutOff(text)) return undefined
  try {
    return toValue(text)
  } catch {
    return undefined
  }
}

/** The last character shows most texts that stop too early; `JSON.parse` only at their end. */
function isCutOff(text: string): boolean {
  const first = text.charCodeAt(0)
  if (first !== 123 && first !== 91) return false
  let end = text.length - 1
  while (end > 0 && text.charCodeAt(end) <= 32) end--
  // The closing bracket is two characters behind the opening one, for both kinds.
  return text.charCodeAt(end) !== first + 2
}

export interface BrokenJson {
  /** Valid JSON text; undefined when the text cannot be read. */
  readonly json: string | undefined
  /** Behind the value. */
  readonly end: number
  readonly complete: boolean
}

/** Reads the value at `at` with the tolerant reader. */
export function readBroken(
  text: string,
  at: number,
  last: boolean,
  options: JsonReaderOptions,
  repairs: Repair[],
): BrokenJson {
  let json = ''
  const sink = {
    text(piece: string): void {
      json += piece
    },
    repair(repair: Repair): void {
      repairs.push(repair)
    },
  }
  const reader = createJsonReader(sink, options)
  const end = reader.read(text, at, last)
  const complete = reader.status === 'done'
  reader.finish()
  return { json: reader.failure === 'syntax' ? undefined : json, end, complete }
}

/** The value of valid JSON text. */
export function toValue(json: string): JsonValue {
  // The one cast: what JSON.parse returns is a JSON value.
  return JSON.parse(json) as JsonValue
}

export function allAllowed(repairs: readonly Repair[], level: RepairLevel = 'guess'): boolean {
  if (level === 'guess') return true
  return repairs.every(({ risk }) => level === 'safe' && risk === 'safe')
}

/** Text around the value, quoted as far as it helps. */
function droppedText(before: string): Repair {
  return { code: 'dropped-text', path: [], risk: 'guess', before: before.slice(0, MAX_QUOTED) }
}
