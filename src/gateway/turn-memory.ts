/**
 * What a client's dialect has no place for, and the provider wants back with the next turn: signatures of
 * reasoning, blocks for the provider alone. Kept under the ids of the calls, or, where the dialect has no
 * ids, under what was called.
 */
import type { ChatRequest, ChatResponse } from '../core/chat.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { Message, ToolCall } from '../core/model.ts'
import { GatewayError } from './gateway-error.ts'
import type { Question } from './question.ts'
import type { GatewayState, Kept } from './state.ts'
import type { Target } from './target.ts'

export interface TurnMemory {
  /** The body of a question with everything in its place that it only refers to. */
  resolve(question: Question): Promise<JsonObject>
  /**
   * Keeps what later questions may refer to. They may come as soon as the reply is out, and to any gateway,
   * so its end waits for this. Undefined when there is nothing to keep.
   */
  keep(question: Question, body: JsonObject, reply: JsonObject): Promise<Kept | undefined>
  /** A reply that clients may ask for, if it was kept and is this client's. */
  findReply(client: string | undefined, id: string): Promise<KeptReply | undefined>
  forgetReply(client: string | undefined, id: string): Promise<void>
  /** Notes that a provider keeps a reply itself. */
  noteUpstream(client: string | undefined, id: string, where: PassedTo): Promise<void>
  /** The request with what is remembered of its turns. */
  recall(question: Question, request: ChatRequest): Promise<ChatRequest>
  /** Before the reply is out, as well; `shown` is the reply with the ids that the client sees. */
  remember(
    question: Question,
    response: ChatResponse,
    shown: ChatResponse,
  ): Promise<Kept | undefined>
}

/** A reply with the items that it answered, or the provider that has both. */
export type KeptReply =
  | {
      readonly head: JsonObject
      readonly input: readonly JsonValue[]
      readonly output: readonly JsonValue[]
    }
  | { readonly model: string; readonly provider: string; readonly upstream: string }

/** What was asked by which name, and who has answered. */
export interface PassedTo {
  readonly model: string
  readonly target: Pick<Target, 'name' | 'model'>
  readonly body: JsonObject
}

/** Providers look at what they said in the last turns; each costs two digests. */
const MAX_RECALLED = 2000

interface KeptTurn {
  readonly extra?: Message['extra']
  readonly reasoning?: string
  /** What belongs to each call, in order. */
  readonly calls: readonly (JsonObject | null)[]
  /** The provider's own ids, where the client sees others. */
  readonly ids?: readonly string[]
}

export function createTurnMemory({
  turns: store,
  isShared,
}: Pick<GatewayState, 'turns' | 'isShared'>): TurnMemory {
  return {
    async resolve(question) {
      const { endpoint, body, client: owner } = question
      const names = endpoint.references?.names(body) ?? []
      if (!endpoint.references || names.length === 0) return body
      const places = await Promise.all(names.map((name) => placeOf(question, 'reply', name)))
      const values = await store.get(places, { owner })
      const found = new Map(
        names.flatMap((name, at) => {
          const value = parseStrict(values[at] ?? '')
          return value === undefined ? [] : [[name, value] as const]
        }),
      )
      try {
        return endpoint.references.resolve(body, found)
      } catch (error) {
        // Another gateway may know: the client must not take its conversation for lost.
        throw isShared() || found.size === names.length ? error : outOfReach()
      }
    },
    async keep(question, body, reply) {
      const kept = question.endpoint.references?.keep(body, reply) ?? []
      if (kept.length === 0) return undefined
      const places = await Promise.all(kept.map(([name]) => placeOf(question, 'reply', name)))
      const entries = kept.map(
        ([, value], at) => [places[at] ?? '', JSON.stringify(value)] as const,
      )
      const about = question.endpoint.references?.about?.(reply)
      const { client } = question
      const noted = about && {
        place: await aboutPlace(client, about[0]),
        value: JSON.stringify({ ...about[1], model: question.sight.model }),
      }
      const all = noted ? [...entries, [noted.place, noted.value] as const] : entries
      return store.set(all, { owner: client })
    },
    async findReply(client, id) {
      const [about] = await store.get([await aboutPlace(client, id)], { owner: client })
      const noted = about === undefined ? undefined : parseStrict(about)
      if (!isJsonObject(noted)) return undefined
      const { head, items, model, provider, upstream } = noted
      if (typeof model !== 'string') return undefined
      if (typeof provider === 'string') return { model, provider, upstream: String(upstream) }
      const place = await placeAt({ client, model, kind: 'reply', name: id })
      const [text] = await store.get([place], { owner: client })
      const all = parseStrict(text ?? '')
      if (!isJsonObject(head) || !Array.isArray(all) || typeof items !== 'number') return undefined
      const length = all.length - items
      return { head, input: all.slice(0, length), output: all.slice(length) }
    },
    async forgetReply(client, id) {
      const about = await aboutPlace(client, id)
      const [text] = await store.get([about], { owner: client })
      const noted = parseStrict(text ?? '')
      const reply = await this.findReply(client, id)
      const model = isJsonObject(noted) ? noted['model'] : undefined
      const names = [id, ...(reply && 'output' in reply ? reply.output.flatMap(itemId) : [])]
      const places = await Promise.all(
        names.map((name) => placeAt({ client, model: String(model ?? ''), kind: 'reply', name })),
      )
      await store.set(
        [about, ...places].map((place) => [place, ''] as const),
        { owner: client },
      )
    },
    async noteUpstream(client, id, { model, target, body }) {
      // The provider keeps nothing either.
      if (body['store'] === false) return
      const value = JSON.stringify({ model, provider: target.name, upstream: target.model })
      await store.set([[await aboutPlace(client, id), value]], { owner: client })
    },
    async recall(question, request) {
      const turns = request.messages.filter(hasCalls).slice(-MAX_RECALLED)
      if (turns.length === 0) return request
      const names = await Promise.all(turns.flatMap((turn) => namesOf(question, turn)))
      const values = await store.get(names, { owner: question.client })
      const known = new Map(
        turns.map((turn, at) => [turn, keptIn(values[2 * at] ?? values[2 * at + 1])]),
      )
      const messages = request.messages.map((turn) => restored(turn, known.get(turn)))
      return { ...request, messages: pairedAgain(request.messages, messages) }
    },
    async remember(question, { message }, shown) {
      const kept = worthKeeping(message, shown.message)
      if (!kept) return undefined
      const value = JSON.stringify(kept)
      const names = await Promise.all(namesOf(question, shown.message))
      return store.set(
        names.map((name) => [name, value]),
        { owner: question.client },
      )
    },
  }
}

function outOfReach(): GatewayError {
  const message = 'what was said before cannot be looked up at the moment; try again'
  return new GatewayError('state_unreachable', message, 1000)
}

function hasCalls({ toolCalls = [] }: Message): boolean {
  return toolCalls.length > 0
}

function worthKeeping(message: Message, shown: Message): KeptTurn | undefined {
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

function keptIn(value: string | undefined): KeptTurn | undefined {
  const kept = value === undefined ? undefined : parseStrict(value)
  if (!isJsonObject(kept) || !Array.isArray(kept['calls'])) return undefined
  return kept as { [key: string]: never } & KeptTurn // our own writing
}

/** What the client did keep counts more. */
function restored(message: Message, kept: KeptTurn | undefined): Message {
  if (!kept || kept.calls.length !== message.toolCalls?.length) return message
  const toolCalls = message.toolCalls.map((call, at): ToolCall => {
    const provider = { ...kept.calls[at], ...call.provider }
    const id = kept.ids?.[at] ?? call.id
    return { ...call, id, ...(Object.keys(provider).length > 0 && { provider }) }
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

function itemId(item: JsonValue): string[] {
  return isJsonObject(item) && typeof item['id'] === 'string' ? [item['id']] : []
}

function placeOf({ client, sight }: Question, kind: string, name: string): Promise<string> {
  return placeAt({ client, model: sight.model, kind, name })
}

/** Clients ask for a reply by its id alone. */
function aboutPlace(client: string | undefined, id: string): Promise<string> {
  return placeAt({ client, model: '', kind: 'about', name: id })
}

interface NamedPlace {
  readonly client: string | undefined
  readonly model: string
  readonly kind: string
  readonly name: string
}

/** Where something is kept: never where another client could look, and of the same length for all. */
async function placeAt({ client = '', model, kind, name }: NamedPlace): Promise<string> {
  const text = JSON.stringify([client, model, kind, name])
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `turn:${btoa(String.fromCharCode(...new Uint8Array(bytes.slice(0, 18))))}`
}
