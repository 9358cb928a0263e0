/** Settings that dialects have in different places, and fields that only one of them has. */
import type { ChatRequest, ChatResponse, ChatSettings, Extra } from '../core/chat.ts'
import type {
  CodecOptions,
  DecodeRequestOptions,
  EncodeOptions,
  Setting,
  SettingFields,
} from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { objectsIn } from './history-call.ts'
import { lostContent } from './kept-content.ts'
import { isMinorField } from './lost-fields.ts'

/** Reasoning has a form of its own in each dialect (`reasoning.ts`). */
type PlainSetting = Exclude<Setting, 'reasoning'>

interface SettingForm {
  readonly kind: 'number' | 'boolean' | 'string' | 'texts' | 'labels'
  /** What every service does anyway: nothing is lost where it cannot be said. */
  readonly usual?: JsonValue
}

const FORMS: Readonly<Record<PlainSetting, SettingForm>> = {
  maxTokens: { kind: 'number' },
  temperature: { kind: 'number' },
  topP: { kind: 'number', usual: 1 },
  topK: { kind: 'number' },
  minP: { kind: 'number', usual: 0 },
  seed: { kind: 'number' },
  presencePenalty: { kind: 'number', usual: 0 },
  frequencyPenalty: { kind: 'number', usual: 0 },
  repetitionPenalty: { kind: 'number', usual: 1 },
  n: { kind: 'number', usual: 1 },
  stop: { kind: 'texts' },
  verbosity: { kind: 'string' },
  parallelToolCalls: { kind: 'boolean', usual: true },
  store: { kind: 'boolean', usual: false },
  user: { kind: 'string' },
  metadata: { kind: 'labels' },
  serviceTier: { kind: 'string', usual: 'auto' },
}
const PLAIN = Object.keys(FORMS) as PlainSetting[]

export interface EncodeFieldsOptions extends EncodeOptions {
  readonly dialect: string
}

/** The settings as fields of the body; those that have no place in it are reported. */
export function encodeFields(
  request: ChatSettings,
  fields: SettingFields,
  { dialect, quirks, report }: EncodeFieldsOptions,
): JsonObject {
  const body: JsonObject = {}
  for (const setting of PLAIN) {
    const value = request[setting]
    if (value === undefined) continue
    const own = quirks?.settings?.[setting]
    const place = own ?? fields[setting]
    if (place) setAt(body, place, wireValue(value))
    else if (value !== FORMS[setting].usual) {
      reportLeftOut(settingName(setting), own === false ? 'the service' : dialect, { report })
    }
  }
  return body
}

/**
 * A body in which each setting is where the service has it, and settings that the service lacks are left out; the
 * body itself when nothing has to change.
 */
export function fitSettings(
  body: JsonObject,
  fields: SettingFields,
  { quirks = {}, report }: EncodeOptions,
): JsonObject {
  let fitted = body
  for (const setting of PLAIN) {
    const usual = fields[setting]
    const place = quirks.settings?.[setting]
    const value = usual === undefined ? undefined : valueAt(fitted, usual)
    if (usual === undefined || value === undefined) continue
    if (place === undefined || place === usual) continue
    fitted = withoutPlaces(fitted, [usual])
    if (place === false) {
      if (value !== null && value !== FORMS[setting].usual)
        reportLeftOut(settingName(setting), 'the service', { report })
    } else if (valueAt(fitted, place) === undefined) {
      const moved: JsonObject = {}
      setAt(moved, place, value)
      fitted = mergedFields(fitted, moved)
    }
  }
  return fitted
}

/** The name of a setting as most APIs spell it: `top_k`. */
export function settingName(setting: string): string {
  return setting.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Reports a setting that the target lacks. */
export function reportLeftOut(name: string, target: string, { report }: CodecOptions): void {
  const message = `${target} has no \`${name}\`; it was left out`
  const level = isMinorField(name) ? ({ level: 'info' } as const) : {}
  report?.({ code: 'not-expressible', message, fields: [name], ...level })
}

function wireValue(value: NonNullable<ChatSettings[PlainSetting]>): JsonValue {
  if (typeof value !== 'object') return value
  return isTextList(value) ? [...value] : { ...value }
}

function isTextList(value: object): value is readonly string[] {
  return Array.isArray(value)
}

/** Puts a value at a dotted place. */
function setAt(body: JsonObject, place: string, value: JsonValue): void {
  const steps = place.split('.')
  const last = steps.pop() ?? ''
  let inner = body
  for (const step of steps) {
    const next = inner[step]
    const object = isJsonObject(next) ? next : {}
    inner[step] = object
    inner = object
  }
  inner[last] = value
}

/** The value at a dotted place. */
export function valueAt(body: JsonObject, place: string): JsonValue | undefined {
  return place
    .split('.')
    .reduce<JsonValue | undefined>(
      (inner, step) => (isJsonObject(inner) ? inner[step] : undefined),
      body,
    )
}

/** The body without what is at these dotted places, and without objects that this leaves empty. */
export function withoutPlaces(body: JsonObject, places: readonly string[]): JsonObject {
  const rest = { ...body }
  for (const place of places) {
    const [step = '', ...inner] = place.split('.')
    const value = rest[step]
    if (inner.length === 0) delete rest[step]
    else if (isJsonObject(value)) {
      const left = withoutPlaces(value, [inner.join('.')])
      if (Object.keys(left).length > 0) rest[step] = left
      else delete rest[step]
    }
  }
  return rest
}

/** Both bodies in one; where both say something, the second counts. */
export function mergedFields(body: JsonObject, own: JsonObject): JsonObject {
  const merged = { ...body }
  for (const [key, value] of Object.entries(own)) {
    const first = merged[key]
    merged[key] = isJsonObject(first) && isJsonObject(value) ? mergedFields(first, value) : value
  }
  return merged
}

/** For dialects without a way to ask for the cache. */
export function reportNoCache({ cache }: ChatRequest, { report }: CodecOptions): void {
  if (!cache) return
  const message = 'the cache cannot be asked for in this dialect'
  report?.({ code: 'not-expressible', message, fields: ['cache'], level: 'info' })
}

export interface TakenSettings {
  readonly settings: ChatSettings
  /** The body without the fields that became settings. */
  readonly rest: JsonObject
}

/** The settings that a body has. A value of the wrong type stays where it is; null says nothing. */
export function takeSettings(
  body: JsonObject,
  fields: SettingFields,
  options: DecodeRequestOptions = {},
): TakenSettings {
  if (options.settings === 'keep') return { settings: {}, rest: body }
  const read: Partial<Record<PlainSetting, unknown>> = {}
  const taken: string[] = []
  for (const setting of PLAIN) {
    const place = fields[setting]
    const value = place === undefined ? undefined : valueAt(body, place)
    if (place === undefined || value === undefined) continue
    const known = readSetting(value, FORMS[setting].kind)
    if (known !== undefined) read[setting] = known
    if (known !== undefined || value === null) taken.push(place)
  }
  // `FORMS` says the type of each setting, and `readSetting` has checked it.
  return { settings: read as ChatSettings, rest: withoutPlaces(body, taken) }
}

function readSetting(value: JsonValue, kind: SettingForm['kind']): unknown {
  if (kind === 'labels') return isLabels(value) ? value : undefined
  if (kind !== 'texts') return typeof value === kind ? value : undefined
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : undefined
}

function isLabels(value: JsonValue): boolean {
  return isJsonObject(value) && Object.values(value).every((label) => typeof label === 'string')
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

/** Fields that only hold others, which are what a report must name. */
const CONTAINERS: ReadonlySet<string> = new Set([
  ...['generationConfig', 'thinkingConfig', 'generation_config', 'options', 'inferenceConfig'],
  ...['additionalModelRequestFields', 'thinking', 'output_config', 'text', 'reasoning', 'metadata'],
  ...['chat_template_kwargs', 'toolConfig'],
])

function fieldNames(fields: JsonObject): readonly string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (key === 'content') return lostContent(value)
    if (key === 'tools') return objectsIn(value).flatMap(lostOfTool)
    return CONTAINERS.has(key) && isJsonObject(value)
      ? fieldNames(value).map((inner) => `${key}.${inner}`)
      : [key]
  })
}

const TOOL_KEYS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'input_schema', 'parameters', 'function', 'strict'],
])

/** Tools that their client runs. */
const FUNCTIONS: ReadonlySet<JsonValue | undefined> = new Set([undefined, 'function', 'custom'])

/** Of a function, the fields that others do not have; any other tool is lost as a whole. */
function lostOfTool(tool: JsonObject): string[] {
  const { type } = tool as Partial<JsonObject>
  if (!FUNCTIONS.has(type)) return [`tools.${String(type)}`]
  const isNamed = 'name' in tool || 'function' in tool || 'custom' in tool
  // Gemini's own tools are known by their only key.
  return Object.keys(tool).flatMap((key) => (isNamed && TOOL_KEYS.has(key) ? [] : [`tools.${key}`]))
}

/** What a message or reply keeps for this dialect. What it keeps for others is reported. */
export function ownFields(
  dialect: string,
  extra: Extra | undefined,
  { report }: CodecOptions = {},
): JsonObject {
  for (const [other, names] of foreignNames(dialect, extra)) {
    const message = `what is kept for ${other} alone is not sent to ${dialect}: ${quoted(names)}`
    report?.(lostIssue(names, message))
  }
  return extra?.[dialect] ?? {}
}

/** The fields of a request that only this dialect has. Those of others are left out and reported. */
export function ownRequestFields(
  dialect: string,
  extra: Extra | undefined,
  { report }: CodecOptions = {},
): JsonObject {
  for (const [other, names] of foreignNames(dialect, extra)) {
    const [are, they] = names.length === 1 ? ['is', 'it was'] : ['are', 'they were']
    const what = `${quoted(names)} of ${other}`
    report?.(lostIssue(names, `${what} ${are} not translated to ${dialect}; ${they} left out`))
  }
  return extra?.[dialect] ?? {}
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

/** The fields that matter, if there are any. */
function lostIssue(names: readonly string[], message: string): Issue {
  const major = names.filter((name) => !isMinorField(name))
  return major.length > 0
    ? { code: 'lost-field', message, fields: major }
    : { code: 'lost-field', message, fields: names, level: 'info' }
}

function foreignNames(
  dialect: string,
  extra: Extra = {},
): (readonly [other: string, names: readonly string[]])[] {
  return Object.entries(extra).flatMap(([other, fields]) => {
    const names = other === dialect ? [] : [...new Set(fieldNames(fields))]
    return names.length > 0 ? [[other, names] as const] : []
  })
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
