/**
 * OpenAI's cache. It keeps the beginnings of requests by itself; newer models can also be told where they
 * end, by marks on parts of the content:
 *
 *     {"type": "text", "text": "Be brief.", "prompt_cache_breakpoint": {"mode": "explicit"}}
 *
 * Services that pass requests on to others have the marks of those instead.
 */
import type { ChatRequest, Extra } from '../core/chat.ts'
import type { EncodeOptions } from '../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { CACHE_MARKER } from './anthropic-cache.ts'
import { objectsIn } from './history-call.ts'

const BREAKPOINT: JsonObject = { prompt_cache_breakpoint: { mode: 'explicit' } }
const MARK_KEYS = [...Object.keys(BREAKPOINT), ...Object.keys(CACHE_MARKER)]

/** What a part is marked with when the request asks for the cache; undefined when there is no mark. */
export function cacheMark(
  { cache, model }: ChatRequest,
  { quirks = {} }: EncodeOptions,
): JsonObject | undefined {
  if (!cache || quirks.textContent) return undefined
  if (quirks.cacheControl) return CACHE_MARKER
  return takesBreakpoints(model) ? BREAKPOINT : undefined
}

/** From GPT-5.6 on. */
function takesBreakpoints(model: string): boolean {
  const [, major = '0', minor = '0'] = /(?:^|\/)gpt-(\d+)(?:\.(\d+))?/.exec(model) ?? []
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6)
}

/** True when the sender has placed marks himself; `contents` are what messages hold. */
export function hasCacheMarks(contents: readonly (JsonValue | undefined)[]): boolean {
  const parts = contents.flatMap(objectsIn)
  return parts.some((part) => MARK_KEYS.some((key) => isJsonObject(part[key] ?? null)))
}

/** Who an entry of a conversation is from: those who set it up, those who ask, or the model. */
export type Speaker = 'system' | 'asker' | 'model'

/**
 * Where a conversation is marked: behind the system prompt, where the last request ended, and at its end.
 * That is three; a fourth is for the place that OpenAI chooses.
 */
export function markedPlaces(speakers: readonly Speaker[]): ReadonlySet<number> {
  const top = speakers.findIndex((speaker) => speaker !== 'system')
  const end = speakers.lastIndexOf('asker')
  const reply = end <= 0 ? -1 : speakers.lastIndexOf('model', end - 1)
  const before = reply <= 0 ? -1 : speakers.lastIndexOf('asker', reply - 1)
  const system = (top === -1 ? speakers.length : top) - 1
  return new Set([system, before, end].filter((at) => at >= 0))
}

/** The content with a mark on its last part; text becomes a part of this type. */
export function markContent(
  content: JsonValue | undefined,
  mark: JsonObject,
  type: string,
): JsonValue | undefined {
  if (typeof content === 'string') {
    return content.trim() === '' ? content : [{ type, text: content, ...mark }]
  }
  const parts = objectsIn(content)
  const last = parts.at(-1)
  return last ? [...parts.slice(0, -1), { ...last, ...mark }] : content
}

/** The fields about the cache that mean the same in more than one dialect. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['openai-chat', ['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options']],
  ['openai-responses', ['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options']],
  ['mistral', ['prompt_cache_key']],
])

export interface ForeignCacheFields {
  readonly fields: JsonObject
  /** Without these fields, which are not lost. */
  readonly extra: Extra | undefined
}

/** Fields about the cache that came in another dialect which has them as well. */
export function foreignCacheFields(dialect: string, extra: Extra = {}): ForeignCacheFields {
  const found: [name: string, value: JsonValue][] = []
  const others = Object.entries(extra).flatMap(([other, fields]) => {
    const isShared = (name: string): boolean =>
      other !== dialect && [dialect, other].every((one) => FIELDS.get(one)?.includes(name))
    const entries = Object.entries(fields)
    found.push(...entries.filter(([name]) => isShared(name)))
    const left = entries.filter(([name]) => !isShared(name))
    return left.length > 0 ? [[other, Object.fromEntries(left)] as const] : []
  })
  return { fields: Object.fromEntries(found), extra: Object.fromEntries(others) }
}
