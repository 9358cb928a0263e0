/**
 * The name of the model in a provider's own reply becomes the one that the client asked for. The reply is not decoded:
 * only the place where its API names the model is looked for and replaced, the rest passes as it came.
 */

import type { Question } from './question.ts'
import type { Target } from './target.ts'

/** Where the model is named: each place is a path of keys from the top of a document. */
export type ModelPlaces = readonly (readonly string[])[]

export interface Renaming {
  /** For a whole reply. */
  body(text: string): string
  /** For whole frames of a stream: one document on each line, after `data:` or alone. */
  frames(text: string): string
}

/** Undefined when the client asked for the provider's own name: then the reply may pass as it is. */
export function renamingFor(
  { endpoint, facts }: Question,
  { model }: Target,
): Renaming | undefined {
  if (facts.model === model || facts.model === '') return undefined
  return renamingTo(facts.model, endpoint.modelPlaces)
}

export function renamingTo(model: string, places: ModelPlaces): Renaming {
  const quoted = JSON.stringify(model)
  const keys = [...new Set(places.map((place) => `"${place.at(-1)}"`))]
  return {
    body(text) {
      const nextKey = keyFinder(text, keys)
      const span =
        nextKey(0) === -1 ? undefined : modelIn(text, text.indexOf('{'), text.length, places)
      return span ? text.slice(0, span.start) + quoted + text.slice(span.end) : text
    },
    frames(text) {
      let written = ''
      let done = 0
      const nextKey = keyFinder(text, keys)
      for (let at = nextKey(0); at !== -1; ) {
        const lineEnd = endOfLine(text, at)
        const from = text.indexOf('{', text.lastIndexOf('\n', at) + 1)
        const span = modelIn(text, from, lineEnd, places)
        if (span) {
          written += text.slice(done, span.start) + quoted
          done = span.end
        }
        at = nextKey(lineEnd)
      }
      return done === 0 ? text : written + text.slice(done)
    },
  }
}

/** Finds the next of several keys from rising offsets; -1 after the last. Each key is searched through the text once. */
function keyFinder(text: string, keys: readonly string[]): (from: number) => number {
  const next = keys.map((key) => text.indexOf(key))
  return (from) => {
    let nearest = -1
    for (const [i, key] of keys.entries()) {
      let at = next[i] ?? -1
      if (at !== -1 && at < from) at = text.indexOf(key, from)
      next[i] = at
      if (at !== -1 && (nearest === -1 || at < nearest)) nearest = at
    }
    return nearest
  }
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at
}

interface Span {
  readonly start: number
  readonly end: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The name, its quotes included, in the document that begins at `from`. */
function modelIn(text: string, from: number, to: number, places: ModelPlaces): Span | undefined {
  if (from === -1) return undefined
  /** The keys that lead here; a list has none. */
  const path: (string | undefined)[] = []
  let key: string | undefined
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at, to)
      if (end === undefined) return undefined
      if (isKey(text, end, to)) key = text.slice(at + 1, end - 1)
      else if (places.some((place) => isAt(place, path, key))) return { start: at, end }
      at = end - 1
    } else if (code === 0x7b || code === 0x5b) {
      path.push(key)
      key = undefined
    } else if (code === 0x7d || code === 0x5d) {
      path.pop()
      key = undefined
      if (path.length === 0) return undefined
    } else if (code === 0x2c) key = undefined
  }
  return undefined
}

/** The document itself is a container without a key, so the path of a value at the top has one entry. */
function isAt(
  place: readonly string[],
  path: readonly (string | undefined)[],
  key: string | undefined,
): boolean {
  if (path.length !== place.length || key !== place.at(-1)) return false
  return path.every((name, at) => at === 0 || name === place[at - 1])
}

/** The offset after the closing quote; undefined when there is none. */
function endOfString(text: string, from: number, to: number): number | undefined {
  for (let at = text.indexOf('"', from + 1); at !== -1 && at < to; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return undefined
}

function isKey(text: string, end: number, to: number): boolean {
  let at = end
  while (at < to && text.charCodeAt(at) <= 0x20) at++
  return text.charCodeAt(at) === 0x3a
}
