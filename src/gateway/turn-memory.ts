/**
 * What a client's dialect has no place for, and the provider wants back with the next turn: signatures of
 * reasoning, blocks for the provider alone. Kept under the ids of the calls, or, where the dialect has no
 * ids, under what was called.
 */
import type { ChatRequest, ChatResponse } from '../core/chat.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Message, ToolCall } from '../core/model.ts'
import type { Question } from './question.ts'
import type { TurnStore } from './state.ts'

export interface TurnMemory {
  /** The body of a question with everything in its place that it only refers to. */
  resolve(question: Question): Promise<JsonObject>
  /** Keeps what later questions may refer to, which may come as soon as the reply is out. */
  keep(question: Question, body: JsonObject, reply: JsonObject): Promise<void>
  /** The request with what is remembered of its turns. */
  recall(question: Question, request: ChatRequest): Promise<ChatRequest>
  /** Before the reply is out, as well; `shown` is the reply with the ids that the client sees. */
  remember(question: Question, response: ChatResponse, shown: ChatResponse): Promise<void>
}

/** Longer ones are not worth their place. */
const MAX_LENGTH = 1024 * 1024

interface Kept {
  readonly extra?: Message['extra']
  readonly reasoning?: string
  /** What belongs to each call, in order. */
  readonly calls: readonly (JsonObject | null)[]
  /** The provider's own ids, where the client sees others. */
  readonly ids?: readonly string[]
}

export function createTurnMemory(store: TurnStore): TurnMemory {
  return {
    async resolve(question) {
      const { endpoint, body } = question
      const names = endpoint.references?.names(body) ?? []
      if (!endpoint.references || names.length === 0) return body
      const places = await Promise.all(names.map((name) => placeOf(question, 'reply', name)))
      const values = await store.get(places)
      const found = new Map(
        names.flatMap((name, at) => {
          const value = parseStrict(values[at] ?? '')
          return value === undefined ? [] : [[name, value] as const]
        }),
      )
      return endpoint.references.resolve(body, found)
    },
    async keep(question, body, reply) {
      const kept = question.endpoint.references?.keep(body, reply) ?? []
      const texts = kept.map(([name, value]) => [name, JSON.stringify(value)] as const)
      const short = texts.filter(([, text]) => text.length <= MAX_LENGTH)
      if (short.length === 0) return
      const places = await Promise.all(short.map(([name]) => placeOf(question, 'reply', name)))
      store.set(short.map(([, text], at) => [places[at] ?? '', text]))
    },
    async recall(question, request) {
      const turns = request.messages.filter(hasCalls)
      if (turns.length === 0) return request
      const names = await Promise.all(turns.flatMap((turn) => namesOf(question, turn)))
      const values = await store.get(names)
      const known = new Map(
        turns.map((turn, at) => [turn, keptIn(values[2 * at] ?? values[2 * at + 1])]),
      )
      const messages = request.messages.map((turn) => restored(turn, known.get(turn)))
      return { ...request, messages: pairedAgain(request.messages, messages) }
    },
    async remember(question, { message }, shown) {
      const kept = worthKeeping(message, shown.message)
      if (!kept) return
      const value = JSON.stringify(kept)
      if (value.length > MAX_LENGTH) return
      const names = await Promise.all(namesOf(question, shown.message))
      store.set(names.map((name) => [name, value]))
    },
  }
}

function hasCalls({ toolCalls = [] }: Message): boolean {
  return toolCalls.length > 0
}

function worthKeeping(message: Message, shown: Message): Kept | undefined {
  const { extra, reasoning, toolCalls = [] } = message
  const calls = toolCalls.map(({ provider = null }) => provider)
  const ids = toolCalls.map(({ id }) => id)
  const isRenamed = ids.some((id, at) => shown.toolCalls?.[at]?.id !== id)
  const isPlain = Object.keys(extra ?? {}).length === 0 && calls.every((own) => own === null)
  if (toolCalls.length === 0 || (isPlain && !isRenamed && !reasoning)) return undefined
  return {
    calls,
    ...(extra && { extra }),
    ...(reasoning !== undefined && { reasoning }),
    ...(isRenamed && { ids }),
  }
}

function keptIn(value: string | undefined): Kept | undefined {
  const kept = value === undefined ? undefined : parseStrict(value)
  if (!isJsonObject(kept) || !Array.isArray(kept['calls'])) return undefined
  return kept as { [key: string]: never } & Kept // our own writing
}

/** What the client did keep counts more. */
function restored(message: Message, kept: Kept | undefined): Message {
  if (!kept || kept.calls.length !== message.toolCalls?.length) return message
  const toolCalls = message.toolCalls.map((call, at): ToolCall => {
    const provider = call.provider ?? kept.calls[at]
    const id = kept.ids?.[at] ?? call.id
    return { ...call, id, ...(provider && { provider }) }
  })
  const { reasoning = kept.reasoning } = message
  return {
    ...message,
    toolCalls,
    ...(kept.extra && { extra: { ...kept.extra, ...message.extra } }),
    ...(reasoning !== undefined && { reasoning }),
  }
}

/** The turns with results under the ids that their calls have got back. */
function pairedAgain(before: readonly Message[], after: readonly Message[]): Message[] {
  let ids = new Map<string, string>()
  return after.map((message, at) => {
    if (message.role === 'assistant') {
      const seen = before[at]?.toolCalls ?? []
      ids = new Map(seen.map(({ id }, which) => [id, message.toolCalls?.[which]?.id ?? id]))
    }
    if (!message.toolResults || ids.size === 0) return message
    const toolResults = message.toolResults.map((result) => {
      const callId = ids.get(result.callId) ?? result.callId
      return callId === result.callId ? result : { ...result, callId }
    })
    return { ...message, toolResults }
  })
}

/**
 * Under what it says, with its id and without. An id alone is not enough: some models count from one in
 * every conversation.
 */
function namesOf(question: Question, { toolCalls = [] }: Message): Promise<string>[] {
  const [first] = toolCalls
  const said = JSON.stringify(toolCalls.map(({ name, arguments: args }) => [name, args]))
  return [
    placeOf(question, 'call', JSON.stringify([first?.id, said])),
    placeOf(question, 'said', said),
  ]
}

/** Where something is kept: never where another client could look, and of the same length for all. */
async function placeOf({ key = '', sight }: Question, kind: string, name: string): Promise<string> {
  const text = JSON.stringify([key, sight.model, kind, name])
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `turn:${btoa(String.fromCharCode(...new Uint8Array(bytes.slice(0, 18))))}`
}
