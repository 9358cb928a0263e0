/**
 * Argument deltas that never have to be taken back. With a schema a value may change once it is
 * complete (text that must be a number, a key in another case), so only what cannot change goes out
 * at once: long texts while they arrive, other declared properties when they are complete. The rest
 * waits for the end of the call.
 */
import type { JsonKind } from '../json/reader.ts'
import type { JsonSchema } from '../model.ts'
import type { Fit } from '../options.ts'

/** Gets the structure of the arguments object; depths count from that object, which has depth 0. */
export interface ArgumentStream {
  text(piece: string): void
  key(depth: number, key: string): void
  valueStart(depth: number, kind: JsonKind): void
  valueEnd(depth: number): void
  /** The properties told so far; undefined when everything was passed on as it came. */
  readonly streamed: ReadonlySet<string> | undefined
}

export function createArgumentStream(
  schema: JsonSchema | undefined,
  fit: Fit | undefined,
  delta: (json: string) => void,
): ArgumentStream {
  if (!fit || schema === undefined || fit.changesNothing(schema)) return passThrough(delta)
  return perProperty(schema, fit, delta)
}

/** How the next member of an object begins that is told bit by bit; `told` are those before it. */
export function nextMember(told: Set<string>, key: string): string {
  const separator = told.size === 0 ? '{' : ','
  told.add(key)
  return `${separator}${JSON.stringify(key)}:`
}

function passThrough(delta: (json: string) => void): ArgumentStream {
  const nothing = () => {}
  return { text: delta, key: nothing, valueStart: nothing, valueEnd: nothing, streamed: undefined }
}

function perProperty(schema: JsonSchema, fit: Fit, delta: (json: string) => void): ArgumentStream {
  const streamed = new Set<string>()
  let key = ''
  /** What becomes of the text of the current value. */
  let mode: 'skip' | 'stream' | 'hold' = 'skip'
  let held: string[] = []

  return {
    streamed,
    text(piece) {
      if (mode === 'stream') delta(piece)
      else if (mode === 'hold') held.push(piece)
    },
    key(depth, name) {
      if (depth === 1) key = name
    },
    valueStart(depth, kind) {
      if (depth !== 1 || !fit.declares(schema, key)) return
      mode = kind === 'string' && fit.keepsText(schema, key) ? 'stream' : 'hold'
      if (mode === 'stream') delta(nextMember(streamed, key))
    },
    valueEnd(depth) {
      if (depth !== 1) return
      if (mode === 'hold') {
        const json = held.join('')
        const value: unknown = JSON.parse(json)
        const fitted = fit.fitProperty(key, value, schema)
        delta(nextMember(streamed, key) + (fitted === value ? json : JSON.stringify(fitted)))
        held = []
      }
      mode = 'skip'
    },
  }
}
