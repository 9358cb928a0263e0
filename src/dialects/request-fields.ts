/** Fields that dialects have under names that differ, or that only one of them has. */
import type { ChatRequest, ChatResponse, Extra } from '../core/chat.ts'
import type { CodecOptions } from '../core/dialect.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'

type Setting = 'maxTokens' | 'temperature' | 'topP' | 'stop' | 'parallelToolCalls'

/** What the dialect calls them; one it does not have is reported when it is set. */
export type FieldNames = Readonly<Partial<Record<Setting, string>>>

const SETTINGS = {
  maxTokens: 'number',
  temperature: 'number',
  topP: 'number',
  stop: 'texts',
  parallelToolCalls: 'boolean',
} as const satisfies Record<Setting, string>

/** The settings as fields of the body. */
export function encodeFields(
  request: ChatRequest,
  names: FieldNames,
  { report }: CodecOptions = {},
): JsonObject {
  const fields: JsonObject = {}
  for (const setting of Object.keys(SETTINGS) as Setting[]) {
    const value = request[setting]
    const name = names[setting]
    if (value === undefined) continue
    if (name !== undefined) fields[name] = typeof value === 'object' ? [...value] : value
    else report?.({ code: 'not-expressible', message: `${setting} has no field in this dialect` })
  }
  return fields
}

/** For dialects without a way to ask for the cache. */
export function reportNoCache({ cache }: ChatRequest, { report }: CodecOptions): void {
  if (!cache) return
  report?.({ code: 'not-expressible', message: 'the cache cannot be asked for in this dialect' })
}

/** The settings that a body has. */
export function decodeFields(body: JsonObject, names: FieldNames): Partial<ChatRequest> {
  const settings = Object.entries(names).flatMap(([setting, name]) => {
    const value = readSetting(body[name], SETTINGS[setting as Setting])
    return value === undefined ? [] : [[setting, value] as const]
  })
  return Object.fromEntries(settings)
}

function readSetting(
  value: JsonValue | undefined,
  kind: (typeof SETTINGS)[Setting],
): number | boolean | readonly string[] | undefined {
  if (kind !== 'texts') return typeof value === kind ? (value as number | boolean) : undefined
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : undefined
}

/** The fields of a body that are not in `known`, under the id of their dialect. */
export function extraFields(
  dialect: string,
  body: JsonObject,
  known: ReadonlySet<string>,
): { readonly extra?: Extra } {
  const rest = Object.entries(body).filter(([key, value]) => !known.has(key) && value !== undefined)
  return rest.length > 0 ? { extra: { [dialect]: Object.fromEntries(rest) } } : {}
}

/** What a request or message keeps for this dialect; the rest is reported, for it cannot be sent. */
export function ownFields(
  dialect: string,
  extra: Extra | undefined,
  { report }: CodecOptions = {},
): JsonObject {
  for (const [other, fields] of Object.entries(extra ?? {})) {
    if (other === dialect) continue
    const names = Object.keys(fields).join(', ')
    report?.({ code: 'lost-field', message: `${other} has fields that ${dialect} lacks: ${names}` })
  }
  return extra?.[dialect] ?? {}
}

/**
 * What a reply keeps for this dialect. The rest is reported, also that of its message, and so are pictures and
 * files where replies hold nothing but text.
 */
export function replyFields(
  dialect: string,
  { message, extra }: Pick<ChatResponse, 'message' | 'extra'>,
  options: CodecOptions = {},
  { isTextOnly = false }: { readonly isTextOnly?: boolean } = {},
): JsonObject {
  ownFields(dialect, message.extra, options)
  const parts = typeof message.content === 'string' || !isTextOnly ? [] : message.content
  for (const { type } of parts) {
    if (type === 'text') continue
    const told = `replies of ${dialect} hold nothing but text; the ${type} is left out`
    options.report?.({ code: 'not-expressible', message: told })
  }
  return ownFields(dialect, extra, options)
}
