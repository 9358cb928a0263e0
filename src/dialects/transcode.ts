/** From one wire format to another: requests, conversations and replies. */

import { checkList } from '../core/caller-input.ts'
import type { ChatRequest } from '../core/chat.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import type { Dialect, EncodeOptions } from '../core/dialect.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { Message } from '../core/model.ts'
import { runSteps, type Steps } from '../core/steps.ts'
import { hasMarkedParts } from './cache-marks.ts'
import { type HealOptions, healingSteps, healMessages } from './heal.ts'
import { oneTexts } from './history/content.ts'
import { createNameMap, type NameMap } from './history/names.ts'
import { rulesFor } from './history/system-messages.ts'
import { withObjectRoot } from './object-root.ts'
import { allDialects, type DialectLike, getDialect } from './registry.ts'
import { toolKindsOf, withToolKinds } from './tool-kinds.ts'

export interface TranscodeOptions extends HealOptions {
  /** The dialect it is written in; told by its shape when left out. */
  readonly from?: DialectLike
  readonly to: DialectLike
}

const HEAL_KEYS: OptionKeys<HealOptions> = { report: 0, dialect: 0 }
const KEYS: OptionKeys<TranscodeOptions> = { ...HEAL_KEYS, from: 0, to: 0 }

/**
 * The same in another dialect. A request or reply comes back as one. A list of messages comes back as a
 * list, or, where the dialect keeps the system prompt elsewhere, as the fields of a request.
 *
 * Histories are healed on the way, and names that the other dialect does not allow are changed; what is
 * lost or changed is told to `report`.
 */
export function transcode(conversation: unknown, options: TranscodeOptions): JsonValue {
  checkKeys('transcode', options, KEYS, "{ to: 'anthropic' }")
  if (options.to === undefined) {
    throw new InvalidInputError("transcode needs the dialect to write: { to: 'anthropic' }")
  }
  const to = getDialect(options.to)
  if (Array.isArray(conversation)) return transcodeList(conversation, to, options)
  if (!isJsonObject(conversation)) {
    throw new InvalidInputError('transcode takes a request, a reply, or a list of messages')
  }
  const from = sourceOf(conversation, options)
  // A dialect without marks of its own has the shapes of another one.
  const shapes = [from, ...allDialects].map((dialect) => dialect.shapeOf(conversation))
  if (shapes.find((shape) => shape !== undefined) === 'response') {
    return to.encodeResponse(from.decodeResponse(conversation, options), options)
  }
  // Settings within one dialect need no translation.
  const settings = from.id === to.id ? 'keep' : 'translate'
  const request = from.decodeRequest(conversation, { ...options, settings })
  return encodeHealed(request, to, options).body
}

function sourceOf(conversation: JsonObject, { from }: TranscodeOptions): Dialect {
  if (from !== undefined) return getDialect(from)
  const found = allDialects.find((dialect) => dialect.shapeOf(conversation) !== undefined)
  if (found) return found
  const known = allDialects.map(({ id }) => id).join(', ')
  throw new InvalidInputError(
    `this is no request or reply of a known dialect; say \`from\`: ${known}`,
  )
}

function transcodeList(
  list: readonly unknown[],
  to: Dialect,
  options: TranscodeOptions,
): JsonValue {
  const messages = readMessages(list, options)
  const request = { model: '', messages, ...(hasMarkedParts(messages) && { cache: true }) }
  const rules = { ...to.rules, needsTools: false } // a list has none
  const { body } = encodeHealed(request, { ...to, rules }, withoutAdded(options))
  const { field, systemField } = rules
  const written = body[field] ?? []
  const system = systemField && body[systemField]
  return system === undefined ? written : { [systemField ?? '']: system, [field]: written }
}

/** For lists of messages: fields that the request around them would need are not in the result. */
function withoutAdded({ report }: HealOptions): EncodeOptions {
  return { report: report && ((issue) => issue.code !== 'added-field' && report(issue)) }
}

/** Messages in our own form, or in that of a dialect. */
function readMessages(list: readonly unknown[], { from, report }: TranscodeOptions): Message[] {
  if (from === undefined && list.every(isNeutral)) return list as Message[]
  // What has a mark is recognised by it; the rest resembles each other.
  const marked = allDialects.filter(({ rules }) => rules.messageTypes ?? rules.messageKey)
  const candidates = from === undefined ? [...marked, ...allDialects] : [getDialect(from)]
  const source = candidates.find((dialect) => from !== undefined || isListOf(list, dialect))
  if (!source) throw new InvalidInputError('these are no messages of a known dialect; say `from`')
  const body = { model: '', [source.rules.field]: list as JsonValue }
  return [...source.decodeRequest(body, { report }).messages]
}

function isListOf(list: readonly unknown[], { rules, shapeOf }: Dialect): boolean {
  const { field, messageKey, messageTypes } = rules
  if (messageTypes) {
    return list.some((one) => isJsonObject(one) && messageTypes.includes(String(one['type'])))
  }
  if (messageKey === undefined) return shapeOf({ [field]: list as JsonValue }) === 'request'
  return list.some((message) => isJsonObject(message) && messageKey in message)
}

const NEUTRAL_KEYS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'toolCalls',
  'toolResults',
  'reasoning',
  'isAborted',
  'extra',
])

const PART_KEYS: ReadonlySet<string> = new Set([
  'type',
  'text',
  'mediaType',
  'data',
  'url',
  'name',
  'cache_control',
])

/** What might as well be a dialect's is so plain that both mean the same. */
function isNeutral(message: unknown): boolean {
  if (!isJsonObject(message) || !hasOnly(message, NEUTRAL_KEYS)) return false
  const { role, content, toolResults } = message
  if (role === 'tool' && !Array.isArray(toolResults)) return false
  if (typeof content === 'string') return true
  return Array.isArray(content) && content.every((part) => isNeutralPart(part))
}

function isNeutralPart(part: JsonValue): boolean {
  return isJsonObject(part) && hasOnly(part, PART_KEYS) && PART_TYPES.has(part['type'])
}

const PART_TYPES: ReadonlySet<JsonValue | undefined> = new Set(['text', 'image', 'file'])

function hasOnly(value: JsonObject, keys: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => keys.has(key))
}

/** A request as the dialect's servers take it, and the names under which its tools go. */
export function encodeHealed(
  request: ChatRequest,
  to: Pick<Dialect, 'id' | 'rules' | 'encodeRequest'>,
  options: EncodeOptions = {},
): EncodedRequest {
  return runSteps(encodingSteps(request, to, options))
}

export interface EncodedRequest {
  readonly body: JsonObject
  readonly names: NameMap | undefined
}

/** The same in steps, each of which looks at all messages once. */
export function* encodingSteps(
  request: ChatRequest,
  to: Pick<Dialect, 'id' | 'rules' | 'encodeRequest'>,
  options: EncodeOptions = {},
): Steps<EncodedRequest> {
  const rules = rulesFor(to.rules, options.quirks)
  const sound = yield* healingSteps(request.messages, rules, { ...options, dialect: to.id })
  yield
  const messages = oneTexts(sound)
  const known = withToolKinds({ ...request, messages }, toolKindsOf(to.rules, options.quirks))
  const healed = {
    ...known,
    ...(known.tools && { tools: known.tools.map((tool) => withObjectRoot(tool, options)) }),
    ...(to.rules.needsTools && calledTools(known, options)),
  }
  const names = to.rules.toolName && createNameMap(namesIn(healed), to.rules.toolName)
  const fitted = names && !names.isSame ? renamed(healed, names) : healed
  yield
  return { body: to.encodeRequest(fitted, options), names }
}

/** Tools that were called but are not offered: declared without a schema, and not to be called. */
function calledTools(
  { tools = [], messages }: ChatRequest,
  { report }: EncodeOptions,
): Partial<ChatRequest> {
  const called = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name))
  if (tools.length > 0 || called.length === 0) return {}
  report?.({
    code: 'not-expressible',
    message: 'a history with calls needs tools: those in it are declared, not to be called',
  })
  const declared = [...new Set(called)].map((name) => ({ name, inputSchema: { type: 'object' } }))
  return { tools: declared, toolChoice: 'none' }
}

function namesIn({ tools = [], messages }: ChatRequest): string[] {
  const called = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name))
  return [...tools.map(({ name }) => name), ...called]
}

function renamed(request: ChatRequest, names: NameMap): ChatRequest {
  const { tools, toolChoice, messages } = request
  const rename = <T extends { readonly name?: string }>(one: T): T =>
    one.name === undefined ? one : { ...one, name: names.encode(one.name) }
  return {
    ...request,
    messages: messages.map((message) => ({
      ...message,
      ...(message.toolCalls && { toolCalls: message.toolCalls.map(rename) }),
      ...(message.toolResults && { toolResults: message.toolResults.map(rename) }),
    })),
    ...(tools && { tools: tools.map(rename) }),
    ...(typeof toolChoice === 'object' && {
      toolChoice:
        'name' in toolChoice
          ? { name: names.encode(toolChoice.name) }
          : { ...toolChoice, names: toolChoice.names.map(names.encode) },
    }),
  }
}

/**
 * A conversation that the dialect's servers accept: each call answered once and in its place, ids and
 * turns as the dialect wants them. Takes messages of that dialect or of the neutral model and returns
 * the same kind. Healing what is healed changes nothing.
 */
export function heal<T extends object>(
  messages: readonly T[],
  dialect: DialectLike,
  options: HealOptions = {},
): T[] {
  checkList('messages', messages, 'a list of messages')
  checkKeys('heal', options, HEAL_KEYS, '{ report }')
  const { id, rules, decodeRequest, encodeRequest } = getDialect(dialect)
  const healing = { ...options, dialect: id }
  // The casts: the same kind of message comes out that went in, and its type is the caller's.
  if (messages.every(isNeutral)) {
    const neutral: readonly object[] = messages
    return healMessages(neutral as readonly Message[], rules, healing) as object[] as T[]
  }
  // Messages of a wire format are JSON.
  const list = messages as readonly object[] as JsonValue[]
  const request = decodeRequest({ model: '', [rules.field]: list }, options)
  const healed = healMessages(request.messages, rules, healing)
  // Stands for the system prompt, which is not in the list, lest another takes its place.
  const prompt: Message[] = rules.systemField ? [{ role: 'system', content: '-' }] : []
  const whole = { ...request, messages: [...prompt, ...healed] }
  const body = encodeRequest(whole, withoutAdded(options))
  return (body[rules.field] ?? []) as object[] as T[]
}
