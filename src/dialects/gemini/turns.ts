/** Conversations in Gemini's form: turns of the user and of the model. */

import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, ToolCall, ToolResult } from '../../core/model.ts'
import { OpenList } from '../../core/open-list.ts'
import { runsOf } from '../../core/runs.ts'
import { flatMapSteps, type Steps } from '../../core/steps.ts'
import { objectsIn } from '../history-call.ts'
import { keepContent, keptBlocks, saysTheSame } from '../kept-content.ts'
import { ownFields } from '../request-fields.ts'
import { camelKeys, objectAt, partsOf } from './candidate.ts'
import {
  decodeCalls,
  decodeContent,
  decodeSpoken,
  encodeCall,
  encodeContent,
  encodePart,
  markForeign,
  thoughtsOf,
  withoutMarks,
} from './parts.ts'
import { dataOf, decodeResult, encodeResult } from './results.ts'

const DIALECT = 'gemini'
/** Models that neither sign their calls nor take data inside results. */
const OLD = /gemini-(?:[12]\b|pro(?:-vision)?$)|gemma/
/** Models that take no system instruction. */
const UNINSTRUCTED = /gemma/

/** A call that waits for its result: the id it has with us and the one it has on the wire. */
interface Waiting {
  readonly callId: string
  readonly name: string
  readonly wireId?: JsonValue
}

/** The fields of a request that hold the conversation. */
export function encodeTurns(
  messages: readonly Message[],
  model: string,
  options: EncodeOptions = {},
): JsonObject {
  const start = messages.findIndex(({ role }) => role !== 'system')
  const system = messages.slice(0, start === -1 ? messages.length : start)
  const isOld = OLD.test(model)
  let waiting: Waiting[] = []

  function encodeTurn(message: Message): JsonObject {
    if (message.role === 'assistant') {
      const parts = encodeModelTurn(message, options)
      waiting = waitingFor(message, parts)
      return { role: 'model', parts: isOld ? parts : markForeign(parts) }
    }
    if (message.role === 'tool') {
      return { role: 'user', parts: encodeResults(message, waiting, isOld, options) }
    }
    return { role: 'user', parts: encodeUserTurn(message, options) }
  }

  const parts = system.flatMap((message) => encodeContent(message.content))
  const contents = joinTurns(messages.slice(system.length).map(encodeTurn))
  if (parts.length === 0) return { contents }
  if (!UNINSTRUCTED.test(model)) return { systemInstruction: { parts }, contents }
  options.report?.({
    code: 'not-expressible',
    message: 'the model takes no system message; it goes before the first words of the user',
  })
  return { contents: withInstruction(parts, contents) }
}

function withInstruction(parts: readonly JsonObject[], turns: readonly JsonObject[]): JsonObject[] {
  const [first, ...others] = turns
  if (first?.['role'] !== 'user') return [{ role: 'user', parts: [...parts] }, ...turns]
  return [{ ...first, parts: [...parts, ...partsOf(first)] }, ...others]
}

/** Turns alternate: what the user says after results belongs into their turn. Calls end a turn. */
function joinTurns(turns: readonly JsonObject[]): JsonObject[] {
  return runsOf(turns, (run, turn) => {
    const last = run.at(-1)
    return last?.['role'] === turn['role'] && !partsOf(last).some((part) => 'functionCall' in part)
  }).flatMap((run) => (run.length === 1 ? run : [{ ...run[0], parts: run.flatMap(partsOf) }]))
}

function encodeUserTurn(message: Message, options: EncodeOptions): JsonObject[] {
  const { role, content } = message
  if (role === 'system') {
    options.report?.({
      code: 'not-expressible',
      message: 'a system message inside the conversation goes to the model as words of the user',
    })
    const text = encodeContent(content).map((part) => part['text'] ?? '')
    return [{ text: `<system>${text.join('\n')}</system>` }]
  }
  return kept(message, options) ?? orEmpty(encodeContent(content))
}

function encodeModelTurn(message: Message, options: EncodeOptions): JsonObject[] {
  const own = kept(message, options)
  if (own) return own
  if (message.reasoning) {
    options.report?.({
      code: 'not-expressible',
      message: 'reasoning without a signature is left out of the conversation',
    })
  }
  return orEmpty(rebuildModelTurn(message))
}

/** A turn of the model from what the neutral message says. */
export function rebuildModelTurn({ content, toolCalls = [] }: Message): JsonObject[] {
  return [...encodeContent(content), ...toolCalls.map((call) => encodeCall(call))]
}

/** A turn must have parts. */
function orEmpty(parts: JsonObject[]): JsonObject[] {
  return parts.length > 0 ? parts : [{ text: '' }]
}

/** The parts that the message keeps, when they still say what it says. */
export function kept(message: Message, options?: EncodeOptions): JsonObject[] | undefined {
  ownFields(DIALECT, message.extra, options)
  const parts = keptBlocks(DIALECT, message)
  if (parts.length === 0) return undefined
  return saysTheSame(decodeSame(message, parts), message) ? parts : undefined
}

function decodeSame({ role }: Message, parts: readonly JsonObject[]): Message {
  if (role === 'assistant') return decodeModelTurn(parts)
  if (role === 'user') return { role, content: decodeContent(parts) }
  return { role, content: '', toolResults: parts.map((part) => decodeResult(part, '')) }
}

function waitingFor({ toolCalls = [] }: Message, parts: readonly JsonObject[]): Waiting[] {
  const wire = parts
    .map((part) => objectAt(part, 'functionCall'))
    .filter((call) => call !== undefined)
  return toolCalls.map(({ id, name }, at) => {
    const wireId = wire[at]?.['id']
    return { callId: id, name, ...(wireId !== undefined && { wireId }) }
  })
}

/** All results of a turn in the order of its calls, which is what ties them together. */
function encodeResults(
  message: Message,
  waiting: readonly Waiting[],
  isOld: boolean,
  options: EncodeOptions,
): JsonObject[] {
  const own = kept(message, options)
  if (own) return own
  const { toolResults = [] } = message
  // The first call of an id counts.
  const places = new Map(waiting.map(({ callId }, at) => [callId, at] as const).reverse())
  const position = ({ callId }: ToolResult): number => places.get(callId) ?? waiting.length
  const ordered = [...toolResults].sort((one, other) => position(one) - position(other))
  const answered = ordered.map((result) => named(result, waiting[position(result)]))
  if (!isOld) return answered.map(([result, fields]) => encodeResult(result, fields))
  const texts = answered.map(([result, fields]) => encodeResult(textOnly(result), fields))
  return [...texts, ...answered.flatMap(([result]) => dataOf(result).map(encodePart))]
}

function named(result: ToolResult, call: Waiting | undefined): [ToolResult, JsonObject] {
  const name = result.name ?? call?.name
  const fields: JsonObject = call?.wireId === undefined ? {} : { id: call.wireId }
  return [name === undefined ? result : { ...result, name }, fields]
}

function textOnly(result: ToolResult): ToolResult {
  const { content } = result
  if (typeof content === 'string') return result
  return { ...result, content: content.filter(({ type }) => type === 'text') }
}

/** A conversation from the fields of a request. */
export function* decodeTurns(
  system: JsonValue | undefined,
  contents: JsonValue | undefined,
): Steps<Message[]> {
  const ids = createCallIds()
  const turns = yield* flatMapSteps(objectsIn(contents), (content) =>
    decodeTurn(camelKeys(content), ids),
  )
  const instruction = decodeContent(systemParts(system))
  return instruction === '' ? turns : [{ role: 'system', content: instruction }, ...turns]
}

/** Parts, one part or a mere text: clients write it in many ways. */
function systemParts(system: JsonValue | undefined): JsonObject[] {
  if (typeof system === 'string') return [{ text: system }]
  if (!isJsonObject(system)) return []
  return 'text' in system ? [system] : partsOf(system)
}

function decodeTurn(content: JsonObject, ids: CallIds): Message[] {
  const parts = partsOf(content)
  if (content['role'] === 'model') return [decodeModelMessage(withoutMarks(parts), ids)]
  const answers = parts.filter((part) => 'functionResponse' in part)
  const others = parts.filter((part) => !('functionResponse' in part))
  return [
    ...(answers.length > 0 ? [decodeResults(answers, ids)] : []),
    ...(others.length > 0 || answers.length === 0 ? [decodeUserMessage(others)] : []),
  ]
}

function decodeUserMessage(parts: readonly JsonObject[]): Message {
  const content = decodeContent(parts)
  return { role: 'user', content, ...keepContent(DIALECT, parts, orEmpty(encodeContent(content))) }
}

function decodeResults(parts: readonly JsonObject[], ids: CallIds): Message {
  const toolResults = parts.map((part) => {
    const { id, name } = objectAt(part, 'functionResponse') ?? {}
    return decodeResult(part, ids.result(id, name))
  })
  const rebuilt = toolResults.map((result) => encodeResult(result))
  return { role: 'tool', content: '', toolResults, ...keepContent(DIALECT, parts, rebuilt) }
}

function decodeModelMessage(parts: readonly JsonObject[], ids: CallIds): Message {
  const message = decodeModelTurn(parts)
  const toolCalls = message.toolCalls?.map((call) => ({ ...call, id: ids.call(call) }))
  return {
    ...message,
    ...(toolCalls && { toolCalls }),
    ...keepContent(DIALECT, parts, orEmpty(rebuildModelTurn(message))),
  }
}

/** What a turn of the model says, ids of calls as they came. */
function decodeModelTurn(parts: readonly JsonObject[]): Message {
  const toolCalls = decodeCalls(parts)
  const reasoning = thoughtsOf(parts)
  return {
    role: 'assistant',
    content: decodeSpoken(parts),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(reasoning !== '' && { reasoning }),
  }
}

interface CallIds {
  call(call: ToolCall): string
  result(id: JsonValue | undefined, name: JsonValue | undefined): string
}

/** Calls without an id are counted; a result without one answers the first open call of its name. */
function createCallIds(): CallIds {
  const open = new OpenList<string>()
  const byId = open.index<string>()
  const byName = open.index<JsonValue | undefined>()
  let count = 0
  return {
    call({ id: given, name }) {
      const id = given === '' ? `call_${count++}` : given
      const at = open.add(id)
      byId.add(id, at)
      byName.add(name, at)
      return id
    },
    result(given, name) {
      const id = typeof given === 'string' ? given : ''
      const at = id === '' ? byName.first(name) : byId.first(id)
      return (at === undefined ? undefined : open.take(at)) ?? id
    },
  }
}
