/** A whole text as one JSON value: `JSON.parse` decides first, then the tolerant reader. */
import type { Repair } from '../issue.ts'
import type { RepairLevel } from '../options.ts'
import { createJsonReader, type JsonReaderOptions } from './reader.ts'
import { parseStrict } from './strict.ts'
import type { JsonValue } from './value.ts'

export interface ReadJson {
  /** Undefined when the text has no value in it. */
  readonly value: JsonValue | undefined
  /** False when the text stopped before its value did, or goes on behind it. */
  readonly complete: boolean
  readonly repairs: Repair[]
}

const MAX_QUOTED = 200

/** Reads a text that is JSON and nothing else, repairing what models get wrong. Never throws. */
export function readJson(
  text: string,
  options: { readonly repair?: RepairLevel; readonly maxDepth?: number } = {},
): ReadJson {
  const { repair = 'guess' } = options
  const parsed = parseStrict(text)
  if (parsed !== undefined) return { value: parsed, complete: true, repairs: [] }
  const repairs: Repair[] = []
  if (text.trim() === '') return { value: undefined, complete: false, repairs }
  const { json, end, complete } = readBroken(text, 0, true, options, repairs)
  const rest = complete ? text.slice(end).trim() : ''
  if (rest !== '') repairs.push(droppedText(rest))
  return {
    value: json === undefined || (rest !== '' && repair !== 'guess') ? undefined : toValue(json),
    complete: complete && rest === '',
    repairs,
  }
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
