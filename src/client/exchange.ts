/** One attempt: a request goes out, a reply comes back, whole or in pieces. */
import type { ChatEvent, ChatResponse, StreamFailure } from '../core/chat.ts'
import type { DecodeResponseOptions, Frame, StreamDecoder } from '../core/dialect.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { Provider } from '../providers/provider.ts'
import { withBaseUrlHint } from './base-url-hint.ts'
import { type BodyLimits, readPieces, readText } from './body.ts'
import type { Endpoint } from './endpoint.ts'
import { classify, classifyFailure, reportsFailure } from './error-class.ts'
import { ProviderError, type ProviderErrorFields } from './errors.ts'
import { decodeForeign } from './foreign-reply.ts'
import { createFrameReader, looksLikeEvents } from './frames.ts'
import type { KeySlot } from './key-pool.ts'
import type { ModelMemory } from './model-memory.ts'
import { parsed } from './parsed.ts'
import { type ReasoningWatch, watchReasoning } from './reasoning-field.ts'
import { replyEvents } from './reply-events.ts'
import type { RequestPlan } from './request-plan.ts'
import { createStreamRescue, rescueResponse } from './rescue.ts'
import { withoutSecrets } from './secrets.ts'
import { COUNTS_MS, LINGER_MS } from './stream-end.ts'
import { Refusal, send, type TransportOptions, unexpected } from './transport.ts'
import type { Watch } from './watch.ts'

export interface Exchange {
  /** The id of the provider. */
  readonly provider: string
  whole(plan: RequestPlan, watch: Watch, slot?: KeySlot): Promise<ChatResponse>
  /**
   * The events that came together, each time. Ends with `finish`; what goes wrong is thrown, as a
   * {@link StreamBreak} once the stream has begun.
   */
  stream(
    plan: RequestPlan,
    watch: Watch,
    slot?: KeySlot,
  ): AsyncGenerator<readonly ChatEvent[], void>
  /** What was thrown, as an error for the caller. */
  errorOf(thrown: unknown, watch: Watch): unknown
}

/** A stream that ended before its time, with what had come. */
export class StreamBreak {
  readonly error: unknown
  readonly partial: ChatResponse | undefined
  constructor(error: unknown, partial?: ChatResponse | undefined) {
    this.error = error
    this.partial = partial
  }
}

export function createExchange(
  provider: Provider,
  endpoint: Endpoint,
  transport: TransportOptions,
  models: Pick<ModelMemory, 'learnReasoningField'>,
): Exchange {
  const { secrets, limits, maxBodyBytes, where } = transport

  function fieldsOf({ model }: RequestPlan): ProviderErrorFields {
    return { provider: provider.id, model }
  }

  function limitsOf(plan: RequestPlan): BodyLimits {
    const { idleMs } = limits
    return { maxBytes: maxBodyBytes, idleMs, secrets, fields: fieldsOf(plan), where }
  }

  function open(
    plan: RequestPlan,
    stream: boolean,
    watch: Watch,
    slot: KeySlot | undefined,
  ): Promise<Response> {
    const { route, model, body, fetch = transport.fetch } = plan
    const url = endpoint.url(route, model, stream)
    const request = { url, body, stream, slot, fields: fieldsOf(plan) }
    return send(request, watch, { ...transport, fetch })
  }

  async function readWhole(
    response: Response,
    plan: RequestPlan,
    watch: Watch,
  ): Promise<ChatResponse> {
    return replyIn(parsed(await readText(response, watch, limitsOf(plan))), response, plan)
  }

  function watchFor({ dialect, model }: RequestPlan): ReasoningWatch {
    return watchReasoning(dialect, (field) => models.learnReasoningField(model, field))
  }

  function replyIn(body: unknown, response: Response, plan: RequestPlan): ChatResponse {
    watchFor(plan).whole(body)
    const reply = plan.dialect.decodeResponse(body, decodingOptions(plan))
    if (!reply.error) return settle(reply, plan)
    const { status, headers } = response
    if (!isJsonObject(body) || !reportsFailure(body)) {
      const foreign = decodeForeign(body, plan.dialect, decodingOptions(plan))
      if (foreign) return settle(foreign, plan)
      throw unexpected(response, body, fieldsOf(plan))
    }
    const error = classify({ status, headers, body }, fieldsOf(plan))
    throw withBaseUrlHint(error, where, transport.usualBase)
  }

  async function whole(plan: RequestPlan, watch: Watch, slot?: KeySlot): Promise<ChatResponse> {
    try {
      return await readWhole(await open(plan, false, watch, slot), plan, watch)
    } catch (thrown) {
      const salvaged = salvage(thrown, plan)
      if (salvaged) return salvaged
      throw thrown
    }
  }

  /** What the model wrote before the service refused it may be a call that we can read. */
  function salvage(thrown: unknown, plan: RequestPlan): ChatResponse | undefined {
    const text = thrown instanceof Refusal ? textAt(thrown.body, provider.failedReply) : undefined
    if (text === undefined) return undefined
    const message = { role: 'assistant', content: text } as const
    const reply = settle({ message, finishReason: 'stop', usage: {}, issues: [] }, plan)
    return reply.message.toolCalls ? reply : undefined
  }

  async function* stream(
    plan: RequestPlan,
    watch: Watch,
    slot?: KeySlot,
  ): AsyncGenerator<readonly ChatEvent[], void> {
    const { streams = true, streamsTools } = plan.route.capabilities
    if (!streams || (plan.sendsTools && !streamsTools)) {
      yield replyEvents(await whole(plan, watch, slot))
      return
    }
    const response = await open(plan, true, watch, slot).catch((thrown: unknown) => {
      const salvaged = salvage(thrown, plan)
      if (salvaged) return salvaged
      throw thrown
    })
    if ('message' in response) yield replyEvents(response)
    else if (isWholeReply(response, plan)) yield* readUnstreamed(response, plan, watch)
    else yield* readStream(response, plan, watch)
  }

  /** What says that it is no stream: a whole reply, or a stream under another name. */
  async function* readUnstreamed(
    response: Response,
    plan: RequestPlan,
    watch: Watch,
  ): AsyncGenerator<readonly ChatEvent[], void> {
    const text = await readText(response, watch, limitsOf(plan))
    const body = parsed(text)
    const { framing } = plan.dialect
    if (typeof body !== 'string' || framing !== 'sse' || !looksLikeEvents(text)) {
      yield replyEvents(replyIn(body, response, plan))
      return
    }
    const reader = createFrameReader(framing)
    const teller = openTeller(plan)
    yield* teller.tell([...reader.push(new TextEncoder().encode(text)), ...reader.end()])
    yield* teller.end()
  }

  function openTeller(plan: RequestPlan): Teller {
    const decoder = plan.dialect.createStreamDecoder(decodingOptions(plan))
    return createTeller(plan, decoder, fieldsOf(plan), watchFor(plan))
  }

  async function* readStream(
    response: Response,
    plan: RequestPlan,
    watch: Watch,
  ): AsyncGenerator<readonly ChatEvent[], void> {
    const reader = createFrameReader(plan.dialect.framing)
    const teller = openTeller(plan)
    const limits = limitsOf(plan)
    const patience: BodyLimits = {
      ...limits,
      get lingerMs() {
        return teller.hasEnded() ? LINGER_MS : undefined
      },
      get idleMs() {
        const { idleMs = COUNTS_MS } = limits
        return teller.isComplete() ? Math.min(idleMs, COUNTS_MS) : limits.idleMs
      },
    }
    try {
      for await (const bytes of readPieces(response, watch, patience)) {
        yield* teller.tell(reader.push(bytes))
        if (teller.hasEnded()) break
      }
      yield* teller.tell(reader.end())
    } catch (thrown) {
      if (thrown instanceof StreamBreak) throw thrown
      const error = errorOf(thrown, watch)
      // Whatever becomes of the connection when all was said, the reply is complete.
      if (!teller.isComplete() || !(error instanceof ProviderError)) throw teller.breakOff(error)
    }
    yield* teller.end()
  }

  function errorOf(thrown: unknown, watch: Watch): unknown {
    if (watch.signal.aborted) return watch.signal.reason
    const error = thrown instanceof Refusal || thrown instanceof StreamBreak ? thrown.error : thrown
    return error instanceof ProviderError ? withoutSecrets(error, secrets) : secrets.hideIn(error)
  }

  return { provider: provider.id, whole, stream, errorOf }
}

interface Teller {
  /** The caller's view of what the frames say; throws when they tell of a failure. */
  tell(frames: readonly Frame[]): Generator<readonly ChatEvent[], void>
  end(): Generator<readonly ChatEvent[], void>
  /** Nothing of the reply itself can still come. */
  isComplete(): boolean
  /** Nothing at all can still come. */
  hasEnded(): boolean
  /** The stream broke off because of an error. */
  breakOff(error: unknown): StreamBreak
}

function createTeller(
  plan: RequestPlan,
  decoder: StreamDecoder,
  fields: ProviderErrorFields,
  watch: ReasoningWatch,
): Teller {
  const rescue = createStreamRescue(plan.rescue)

  function partialOf({ partial }: StreamFailure): ChatResponse | undefined {
    return partial && ownView(rescue.breakOff(partial), plan)
  }

  function* pass(events: readonly ChatEvent[]): Generator<readonly ChatEvent[], void> {
    const told: ChatEvent[] = []
    let failure: StreamFailure | undefined
    for (const event of events) {
      if (event.type === 'error') failure = event.error
      else for (const own of rescue.push(event)) told.push(ownEvent(own, plan))
    }
    if (told.length > 0) yield told
    if (failure) throw new StreamBreak(classifyFailure(failure, fields), partialOf(failure))
  }

  return {
    tell(frames) {
      for (const { data } of frames) watch.frame(data)
      return pass(frames.flatMap((frame) => decoder.push(frame)))
    },
    end: () => pass(decoder.end()),
    isComplete: () => decoder.isComplete?.() ?? false,
    hasEnded: () => decoder.hasEnded?.() ?? false,
    breakOff(error) {
      // The dialect knows what had come.
      const last = decoder.end().find((event) => event.type === 'error')
      return new StreamBreak(error, last && partialOf(last.error))
    },
  }
}

/** The caller's view of a reply: calls in the text found, own names of tools. */
function settle(response: ChatResponse, plan: RequestPlan): ChatResponse {
  return ownView(rescueResponse(response, plan.rescue), plan)
}

function ownView(response: ChatResponse, { view, issues }: RequestPlan): ChatResponse {
  const { message } = response
  const { toolCalls } = message
  const isSeen = !view || !toolCalls
  const own = isSeen
    ? response
    : { ...response, message: { ...message, toolCalls: view.calls(toolCalls) } }
  return issues.length === 0 ? own : { ...own, issues: [...issues, ...own.issues] }
}

function ownEvent(event: ChatEvent, plan: RequestPlan): ChatEvent {
  if (event.type === 'finish') return { ...event, response: ownView(event.response, plan) }
  return plan.view?.event(event) ?? event
}

function decodingOptions({ rescue, freeform }: RequestPlan): DecodeResponseOptions {
  return { usedIds: rescue.usedIds ?? [], freeform }
}

/** Some servers do not stream, whatever they are asked; and a page is no stream. */
function isWholeReply({ headers }: Response, { dialect }: RequestPlan): boolean {
  const type = headers.get('content-type') ?? ''
  if (/text\/html/i.test(type)) return true
  return dialect.framing !== 'ndjson' && /application\/json/i.test(type)
}

function textAt(body: unknown, path: readonly string[] | undefined): string | undefined {
  if (!path) return undefined
  let value = body
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
