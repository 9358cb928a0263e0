/** JSON as people write it, with comments and trailing commas, and where everything in it stands. */
import type { JsonPath } from '../../core/issue.ts'
import { jsonErrorAt } from '../../core/json/error-position.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { pathKey } from './problem.ts'

export type JsonFile =
  | { readonly value: JsonValue; readonly places: JsonPlaces }
  /** It stops being JSON here. */
  | { readonly errorAt: number }

export interface JsonPlaces {
  /** Where the value begins, or its key; undefined when there is none. */
  at(path: JsonPath, part: 'key' | 'value'): number | undefined
  /** Keys that are twice in one object. Their place is the later one. */
  readonly repeated: readonly JsonPath[]
}

export function readJsonFile(text: string): JsonFile {
  const plain = withoutExtras(text)
  try {
    const value: JsonValue = JSON.parse(plain)
    return { value, places: findPlaces(plain) }
  } catch {
    return { errorAt: jsonErrorAt(plain) }
  }
}

const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const STRING_OR_LAST_COMMA = /"(?:[^"\\\n]|\\.)*"|(?<=[^\s[{,:]\s*),(?=\s*[}\]])/g

/** Blanks in place of comments, trailing commas and a byte order mark, so that every place stays. */
function withoutExtras(text: string): string {
  const blank = (found: string): string =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, ' ')
  return text
    .replace(/^\uFEFF/, ' ')
    .replace(STRING_OR_COMMENT, blank)
    .replace(STRING_OR_LAST_COMMA, blank)
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** An object or a list that is open. */
interface Frame {
  readonly path: JsonPath
  readonly seen: Set<string>
  /** The key or the index that comes; undefined before a key. */
  step: string | number | undefined
  hasColon: boolean
}

function findPlaces(json: string): JsonPlaces {
  const keys = new Map<string, number>()
  const values = new Map<string, number>()
  const repeated: JsonPath[] = []
  const frames: Frame[] = []

  function pathHere(): JsonPath {
    const frame = frames.at(-1)
    return frame?.step === undefined ? [] : [...frame.path, frame.step]
  }

  function takeKey(frame: Frame, key: string, at: number): void {
    frame.step = key
    const path = pathHere()
    if (frame.seen.has(key)) repeated.push(path)
    frame.seen.add(key)
    keys.set(pathKey(path), at)
  }

  function takeValue(token: string, at: number): void {
    const path = pathHere()
    values.set(pathKey(path), at)
    if (token === '{') frames.push({ path, seen: new Set(), step: undefined, hasColon: false })
    if (token === '[') frames.push({ path, seen: new Set(), step: 0, hasColon: true })
  }

  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const frame = frames.at(-1)
    if (token === '}' || token === ']') frames.pop()
    else if (frame && token === ':') frame.hasColon = true
    else if (frame && token === ',') moveOn(frame)
    else if (frame && !frame.hasColon) takeKey(frame, JSON.parse(token), index)
    else takeValue(token, index)
  }

  return {
    at: (path, part) => (part === 'key' ? keys : values).get(pathKey(path)),
    repeated,
  }
}

function moveOn(frame: Frame): void {
  const isList = typeof frame.step === 'number'
  if (typeof frame.step === 'number') frame.step += 1
  frame.hasColon = isList
}
