/**
 * Argument deltas that never have to be taken back. With a schema a value may change once it is
 * complete (text that must be a number, a key in another case), so only what cannot change goes out
 * at once: long texts while they arrive, other declared properties when they are complete. The rest
 * waits for the end of the call.
 */
import type { JsonSchema } from '../model.ts'
import type { ArgumentStream } from '../options.ts'
import { canStreamText, coerceProperty, isOpenSchema } from './coerce.ts'
import { isDeclared } from './property-name.ts'

/** Undefined when nothing can change: then all of it can be passed on as it comes. */
export function streamArguments(
  schema: JsonSchema,
  delta: (json: string) => void,
): ArgumentStream | undefined {
  if (isOpenSchema(schema)) return undefined
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
      if (depth !== 1 || !isDeclared(schema, key)) return
      mode = kind === 'string' && canStreamText(schema, key) ? 'stream' : 'hold'
      if (mode === 'stream') delta(nextMember(streamed, key))
    },
    valueEnd(depth) {
      if (depth !== 1) return
      if (mode === 'hold') {
        const json = held.join('')
        const value: unknown = JSON.parse(json)
        const fitted = coerceProperty(key, value, schema).value
        delta(nextMember(streamed, key) + (fitted === value ? json : JSON.stringify(fitted)))
        held = []
      }
      mode = 'skip'
    },
  }
}

/** How the next member of an object begins that is told bit by bit; `told` are those before it. */
export function nextMember(told: Set<string>, key: string): string {
  const separator = told.size === 0 ? '{' : ','
  told.add(key)
  return `${separator}${JSON.stringify(key)}:`
}
