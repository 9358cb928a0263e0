/** Conversations as items. */

import type { EncodeOptions } from '../../core/dialect.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Message, ToolCall, ToolResult } from '../../core/model.ts'
import { readMarkedCall } from '../../core/native/call.ts'
import { readNative } from '../../core/native.ts'
import { mapSteps, type Steps } from '../../core/steps.ts'
import { CUSTOM, freeformText } from '../freeform.ts'
import { callArgumentsText, objectsIn, readHistoryCall } from '../history-call.ts'
import { keepContent, keptAs, keptBlocks, saysTheSame } from '../kept-content.ts'
import { ownFields } from '../request-fields.ts'
import { resultText } from '../tool-result.ts'
import { asFunctionCalls, clientRunItem, isClientRunType } from './client-call.ts'
import { decodeContent, encodeContent, spokenText } from './content.ts'
import { declaredKey, membersOf } from './declared-tools.ts'
import { decodeResult, encodeResult } from './result.ts'
import { type ToolNames, wireName, withWireNames } from './tool-names.ts'

const DIALECT = 'openai-responses'

/** The fields of a request that hold the conversation. */
export function encodeConversation(
  messages: readonly Message[],
  options: EncodeOptions = {},
): JsonObject {
  const [first, ...others] = messages
  const isInstruction = first?.role === 'system' && keptBlocks(DIALECT, first).length === 0
  if (!isInstruction) return { input: encodeItems(messages, options) }
  return { instructions: spokenText(first.content), input: encodeItems(others, options) }
}

function encodeItems(messages: readonly Message[], options: EncodeOptions): JsonObject[] {
  let calls: readonly ToolCall[] = []
  let isReplayed = false
  return messages.flatMap((message) => {
    const own = kept(message, options, calls)?.map(withArguments)
    if (!mayDeclare(options) && own?.every(declaresTools)) return []
    if (message.role === 'tool') return own ?? encodeResults(message, calls, isReplayed)
    if (message.role !== 'assistant') return own ?? [encodePlain(message)]
    calls = message.toolCalls ?? []
    isReplayed = own !== undefined
    if (!own && message.reasoning) {
      options.report?.({
        code: 'not-expressible',
        message: 'reasoning that is not encrypted is left out of the conversation',
      })
    }
    return own ?? rebuildTurn(message)
  })
}

/** Whether items of the conversation may declare tools. */
function mayDeclare({ quirks }: EncodeOptions): boolean {
  return quirks?.toolKinds?.includes('additional_tools') ?? true
}

function declaresTools({ type }: JsonObject): boolean {
  return type === 'additional_tools'
}

function encodePlain({ role, content }: Message): JsonObject {
  return { role, content: encodeContent(content) }
}

/** A turn of the assistant from what the neutral message says. */
export function rebuildTurn({ content, toolCalls = [] }: Message): JsonObject[] {
  const text = spokenText(content)
  return [
    ...(text === '' && toolCalls.length > 0 ? [] : [{ role: 'assistant', content: text }]),
    ...toolCalls.map(encodeCall),
  ]
}

/** Never with the id of the item: it would have to be followed by the reasoning it belongs to. */
export function encodeCall(call: ToolCall): JsonObject {
  const { id, arguments: args, provider = {} } = call
  const { type, namespace, caller } = provider as Record<string, JsonValue | undefined>
  const own = typeof type === 'string' ? clientRunItem(type, id, args) : undefined
  if (own) return own
  const about = {
    ...(namespace !== undefined && { namespace }),
    ...(caller !== undefined && { caller }),
  }
  const named = { call_id: id, name: wireName(call) }
  if (type === CUSTOM) {
    return { type: 'custom_tool_call', ...named, input: freeformText(args), ...about }
  }
  return { type: 'function_call', ...named, arguments: callArgumentsText(call), ...about }
}

/**
 * The items that the message keeps, when they still say what it says. `calls` are those that it answers, where it is
 * a message of results.
 */
export function kept(
  message: Message,
  options?: EncodeOptions,
  calls: readonly ToolCall[] = [],
): JsonObject[] | undefined {
  ownFields(DIALECT, message.extra, options)
  const blocks = keptBlocks(DIALECT, message)
  const items =
    message.role === 'tool'
      ? outputsAsCalled(blocks, message, calls)
      : callsAsOffered(blocks, message)
  if (items.length === 0) return undefined
  const isSame = saysTheSame(decodeSame(message, items), withWireNames(message))
  return isSame ? renamed(items, message) : undefined
}

/** The items with each call in the form of its tool: a function where the service was sent a function. */
function callsAsOffered(
  items: readonly JsonObject[],
  { toolCalls = [] }: Message,
): readonly JsonObject[] {
  if (toolCalls.some(({ provider }) => provider?.['parallel'] !== undefined)) return items
  let at = 0
  return items.map((item) => {
    const call = isCall(item) ? toolCalls[at++] : undefined
    if (!call || isCallOf(item, call)) return item
    const { type, id, status } = item as Record<string, JsonValue | undefined>
    const made = encodeCall(call)
    return {
      // What an id begins with depends on the type.
      ...(id !== undefined && type === made['type'] && { id }),
      ...made,
      ...(status !== undefined && { status }),
    }
  })
}

function isCallOf({ type, namespace = null }: Partial<JsonObject>, call: ToolCall): boolean {
  const { provider = {} } = call
  return type === itemTypeOf(provider['type']) && namespace === (provider['namespace'] ?? null)
}

/** The type of the item that a call is, by the `type` in its `provider`. */
function itemTypeOf(type: JsonValue | undefined): string {
  if (type === CUSTOM) return 'custom_tool_call'
  return typeof type === 'string' && isClientRunType(type) ? type : 'function_call'
}

/** The items with each result in the form that goes with the call it answers. */
function outputsAsCalled(
  items: readonly JsonObject[],
  { toolResults = [] }: Message,
  calls: readonly ToolCall[],
): readonly JsonObject[] {
  const owners = new Map(calls.map((call) => [call.id, call]))
  return items.map((item, at) => {
    const result = toolResults[at]
    const owner = result && owners.get(result.callId)
    if (!owner || (FUNCTION_OUTPUT !== item['type']) === isSpecial(owner)) return item
    const { type } = owner.provider ?? {}
    return encodeResult(result, typeof type === 'string' ? type : undefined)
  })
}

const FUNCTION_OUTPUT = 'function_call_output'

function isSpecial({ provider }: ToolCall): boolean {
  return itemTypeOf(provider?.['type']) !== 'function_call'
}

/** Calls and results may have been given other ids since. */
function renamed(items: readonly JsonObject[], message: Message): JsonObject[] {
  const { role, toolCalls = [], toolResults = [] } = message
  // Several calls in one item have ids of their own.
  if (toolCalls.some(({ provider }) => provider?.['parallel'] !== undefined)) return [...items]
  let at = 0
  return items.map((item) => {
    if (role === 'tool') return withId(item, toolResults[at++]?.callId)
    return isCall(item) ? withId(item, toolCalls[at++]?.id) : item
  })
}

/** Strict servers do not take back that there were none. */
function withArguments(item: JsonObject): JsonObject {
  return item['arguments'] === '' ? { ...item, arguments: '{}' } : item
}

function withId(item: JsonObject, id: string | undefined): JsonObject {
  const key = 'call_id' in item || !('id' in item) ? 'call_id' : 'id'
  return id === undefined || item[key] === id ? item : { ...item, [key]: id }
}

function isCall(item: JsonObject): boolean {
  return asFunctionCalls(item)[0] !== item || readMarkedCall(item) !== undefined
}

function decodeSame(message: Message, items: readonly JsonObject[]): Message {
  const { role, toolCalls = [] } = message
  if (role === 'assistant') {
    const isExpanded = toolCalls.some(({ provider }) => provider?.['parallel'] !== undefined)
    return decodeTurn(items, isExpanded ? new Set(toolCalls.map(({ name }) => name)) : undefined)
  }
  if (role === 'tool') return { role, content: '', toolResults: sameResults(message, items) }
  return { role, content: decodeContent(items[0]?.['content']) }
}

/** Tools that were found are listed under other names in the neutral message. */
function sameResults({ toolResults = [] }: Message, items: readonly JsonObject[]): ToolResult[] {
  return items.map((item, at) => {
    const own = item['type'] === 'tool_search_output' ? toolResults[at] : undefined
    return own ?? decodeResult(item)
  })
}

function encodeResults(
  { toolResults = [] }: Message,
  calls: readonly ToolCall[],
  isReplayed: boolean,
): JsonObject[] {
  const owners = new Map(calls.map((call) => [call.id, call]))
  const ownOf = ({ callId }: ToolResult): JsonObject => owners.get(callId)?.provider ?? {}
  const siblings = new Map<JsonValue, ToolResult[]>()
  for (const result of toolResults) {
    const { parallel = null } = ownOf(result)
    const others = siblings.get(parallel)
    if (others) others.push(result)
    else siblings.set(parallel, [result])
  }
  const written = new Set<JsonValue>()
  return toolResults.flatMap((result) => {
    const { type, parallel } = ownOf(result) as Record<string, JsonValue | undefined>
    if (parallel === undefined || !isReplayed) {
      return [encodeResult(result, typeof type === 'string' ? type : undefined)]
    }
    if (written.has(parallel)) return []
    written.add(parallel)
    return [collapsed(String(parallel), siblings.get(parallel) ?? [])]
  })
}

/** The call that held several calls went back as one, so their results do, too. */
function collapsed(callId: string, results: readonly ToolResult[]): JsonObject {
  const outputs = results.map((result) => {
    const name = result.name === undefined ? {} : { recipient_name: `functions.${result.name}` }
    return { ...name, output: encodeResult({ ...result, content: resultText(result) })['output'] }
  })
  return { type: 'function_call_output', call_id: callId, output: JSON.stringify(outputs) }
}

/** A conversation from the `input` of a request, with calls under the names of the tools that it declares. */
export function* decodeItems(input: JsonValue | undefined, names: ToolNames): Steps<Message[]> {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const open = new Set<JsonValue>()
  const runs: { readonly kind: Kind; readonly items: JsonObject[] }[] = []
  for (const item of objectsIn(input)) {
    const kind = kindOf(item, open)
    if (isCall(item)) open.add(item['call_id'] ?? item['id'] ?? null)
    const last = runs.at(-1)
    if (last?.kind === kind && kind !== 'plain') last.items.push(item)
    else runs.push({ kind, items: [item] })
  }
  return yield* mapSteps(runs, ({ kind, items }) => decodeRun(kind, items, names))
}

/** Items of one turn of the assistant, results of one turn, or a message of anybody else. */
type Kind = 'turn' | 'results' | 'plain'

function kindOf(item: JsonObject, open: ReadonlySet<JsonValue>): Kind {
  const { type, role } = item as Record<string, JsonValue | undefined>
  if (role !== undefined && role !== 'assistant') return 'plain'
  if (type === 'function_call_output' || type === 'custom_tool_call_output') return 'results'
  // What the provider ran itself has its output in the turn, next to the call.
  const isOutput = typeof type === 'string' && type.endsWith('_output')
  return isOutput && open.has(item['call_id'] ?? item['id'] ?? null) ? 'results' : 'turn'
}

function decodeRun(kind: Kind, items: readonly JsonObject[], names: ToolNames): Message {
  if (kind === 'results') return decodeResults(items, names)
  if (kind === 'plain') return decodePlain(items[0] ?? {})
  const message = named(decodeTurn(items), names)
  const isAborted = items.some(isCutOff)
  return {
    ...message,
    ...(isAborted && { isAborted }),
    ...keepItems(items, rebuildTurn(message)),
  }
}

/** A call whose arguments did not all arrive. */
function isCutOff({ type, status }: Partial<JsonObject>): boolean {
  return type === 'function_call' && status === 'incomplete'
}

function decodePlain(item: JsonObject): Message {
  const { role: given } = item as { role?: JsonValue }
  const role = given === 'system' || given === 'developer' ? 'system' : 'user'
  const message: Message = { role, content: decodeContent(item['content']) }
  return { ...message, ...keepItems([item], [encodePlain(message)]) }
}

function named(message: Message, names: ToolNames): Message {
  const { toolCalls } = message
  return toolCalls ? { ...message, toolCalls: toolCalls.map(names.named) } : message
}

function decodeResults(items: readonly JsonObject[], names: ToolNames): Message {
  const toolResults = items.map((item) => decodeNamed(item, names))
  const rebuilt = toolResults.map((result) => encodeResult(result))
  return { role: 'tool', content: '', toolResults, ...keepItems(items, rebuilt) }
}

/** The result; tools that a search has found are listed under the names by which the model may call them. */
function decodeNamed(item: JsonObject, names: ToolNames): ToolResult {
  const result = decodeResult(item)
  if (item['type'] !== 'tool_search_output') return result
  const tools = membersOf(objectsIn(item['tools'])).flatMap((tool) => {
    const name = names.ofKey(declaredKey(tool) ?? '')
    const { description } = tool.definition
    return name === undefined ? [] : [{ name, ...(description !== undefined && { description }) }]
  })
  return { ...result, content: JSON.stringify({ tools }) }
}

/** What a run of items says. */
function decodeTurn(items: readonly JsonObject[], declared?: ReadonlySet<string>): Message {
  const plain = items.flatMap((item) => asFunctionCalls(item, declared))
  const { calls, texts, reasoning } = readNative({ output: plain }) ?? NOTHING
  return {
    role: 'assistant',
    content: texts.join('\n'),
    ...(calls.length > 0 && { toolCalls: calls.map(readHistoryCall) }),
    ...(reasoning !== '' && { reasoning }),
  }
}

const NOTHING = { calls: [], texts: [], reasoning: '' } as const

/** Keeps items that say more than the neutral message: all but names and states of plain ones. */
export function keepItems(
  items: readonly JsonObject[],
  rebuilt: readonly JsonObject[],
): Pick<Message, 'extra'> {
  const isSame = !keepContent(DIALECT, items.map(plainItem), rebuilt.map(plainItem)).extra
  return isSame ? {} : keptAs(DIALECT, items, rebuilt)
}

function plainItem(item: JsonObject): JsonObject {
  const { id: _, status: __, type, ...fields } = item
  if ('role' in item) return { ...fields, content: plainContent(item['content']) }
  return type === 'reasoning' ? item : { ...fields, type: type ?? null }
}

/** One text is a text, in whatever list. */
function plainContent(content: JsonValue | undefined): JsonValue {
  const [only, ...others] = objectsIn(content)
  if (!only || others.length > 0) return content ?? ''
  const { type, text, annotations, logprobs, ...rest } = only
  const isPlain = Object.keys(rest).length === 0 && isEmpty(annotations) && isEmpty(logprobs)
  return isPlain && typeof text === 'string' ? text : (content ?? '')
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
