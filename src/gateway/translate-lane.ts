/** A question in another dialect than the provider's: through the neutral model, there and back. */

import type { RequestOptions } from '../client/chat-client.ts'
import {
  checkReply,
  eventsOf,
  failureOf,
  type Opening,
  openStream,
} from '../client/fallback/opening.ts'
import type { ChatEvent, ChatRequest, ChatResponse } from '../core/chat.ts'
import type { JsonObject } from '../core/json/value.ts'
import {
  createReplyIds,
  eventWithReplyIds,
  type ReplyIds,
  withReplyIds,
} from '../dialects/history/reply-ids.ts'
import { iteratedSource, watched } from './byte-source.ts'
import { returnedHeaders } from './header-policy.ts'
import { withHosting } from './hosted/hosting.ts'
import type { Send } from './http.ts'
import { withLoopNote } from './loop-guard.ts'
import { streamedInWordsOf } from './overflow-words.ts'
import type { Passed } from './pass-lane.ts'
import {
  type Answer,
  factsFor,
  noteAttempt,
  noteCall,
  noteIssues,
  noteKept,
  type Question,
  readingFor,
} from './question.ts'
import { healedResponse, withoutOwnWishes } from './response-healing.ts'
import type { Target } from './target.ts'
import type { TurnMemory } from './turn-memory.ts'
import { fetchOver } from './upstream-fetch.ts'

/** How a chain wants one of its targets to be asked. */
export interface LaneOptions {
  readonly signal: AbortSignal
  /** False: a model without native tools is an error. */
  readonly textFallback?: boolean | undefined
}

/** Throws a ProviderError while another provider can be asked. */
export async function translate(
  question: Question,
  target: Target,
  { signal, textFallback }: LaneOptions,
  turns: TurnMemory,
): Promise<Passed> {
  const body = withoutOwnWishes(await turns.resolve(question), target)
  const given = await question.request(body)
  await question.pause()
  const recalled = await turns.recall(question, given)
  const noted = withLoopNote(recalled, question.report.loop)
  const { request, client } = withHosting(question, target, noted)
  await question.pause()
  const ids = createReplyIds(question.endpoint.dialect.rules.callId, idsIn(given))
  const { name: provider, model, dialect } = target
  const headers: Record<string, string> = {}
  const attempt = { provider, model, dialect, lane: 'translate' } as const
  const options: RequestOptions = {
    signal,
    textFallback,
    retries: 0,
    rescue: question.rescue.enabled,
    ...readingFor(question, target),
    onFitted: (fitted) => {
      question.report.fitted = fitted
    },
    fetch: fetchOver((sent) => {
      const sentBody = typeof sent.body === 'string' ? sent.body : undefined
      noteAttempt(question, { ...attempt, body: sentBody })
      const all = { ...forwardedTo(target, question), ...sent.headers }
      return watchedSend(question, target.send, headers)({ ...sent, headers: all })
    }),
  }
  const { model: _, stream: __, ...asked } = request
  const remember = async (response: ChatResponse): Promise<JsonObject> => {
    const shown = withReplyIds(response, ids)
    const reply = question.endpoint.writeReply(shown, factsFor(question, target))
    // The client wants nothing of it to stay here.
    if (request.store === false) return reply
    // Should they fail, the next turn goes as the client has it, or learns what is not known.
    const kept = await Promise.allSettled([
      turns.remember(question, response, shown),
      turns.keep(question, body, reply),
    ])
    noteKept(
      question.report,
      kept.map((one) => (one.status === 'fulfilled' ? one.value : 'nowhere')),
    )
    return reply
  }
  return question.sight.streamed
    ? translateStream(question, { client, model }, asked, options, headers, { remember, ids })
    : translateWhole(question, { ...target, client }, asked, options, headers, remember)
}

type SentHeaders = Readonly<Record<string, string>>

/** The client's headers for a provider of its own dialect, such as names of features that its body uses. */
function forwardedTo({ dialect }: Target, { endpoint, forwarded }: Question): SentHeaders {
  return endpoint.dialect.id === dialect ? forwarded : {}
}

/** Sends, and lets those who look on see what comes back. */
function watchedSend(question: Question, send: Send, headers: Record<string, string>): Send {
  const { watch, report, now } = question
  return async (request) => {
    const reply = await send(request)
    report.answeredAt ??= now()
    watch.upstream(reply.status)
    Object.assign(headers, returnedHeaders(reply.headers, question.returned))
    return { ...reply, body: watched(reply.body, (bytes) => watch.upstreamBytes(bytes)) }
  }
}

type Asked = Omit<ChatRequest, 'model' | 'stream'>
/** Keeps what the next turn needs, and says how the reply is written as a whole. */
type Remember = (response: ChatResponse) => Promise<JsonObject>

interface Writing {
  readonly remember: Remember
  /** The ids that the client sees, none of which its conversation has. */
  readonly ids: ReplyIds
}

function idsIn({ messages }: ChatRequest): string[] {
  return messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
}

async function translateWhole(
  question: Question,
  target: Target,
  asked: Asked,
  options: RequestOptions,
  headers: Readonly<Record<string, string>>,
  remember: Remember,
): Promise<Passed> {
  const came = await target.client.complete(asked, options)
  checkReply(came)
  const response = healedResponse(came, asked, question, target)
  note(question, response)
  const body = JSON.stringify(await remember(response))
  return { answer: { contentType: 'application/json', headers, body } }
}

async function translateStream(
  question: Question,
  target: Pick<Target, 'client' | 'model'>,
  asked: Asked,
  options: RequestOptions,
  headers: Readonly<Record<string, string>>,
  writing: Writing,
): Promise<Passed> {
  const opening = await openStream(target.client.stream(asked, options))
  const { endpoint, sight } = question
  const stream = endpoint.openStream(sight, factsFor(question, target))
  let tellEnd: (error?: unknown) => void = () => {}
  const bytes = writeEvents(opening, question, stream, writing, (outcome) => {
    tellEnd('error' in outcome ? outcome.error : undefined)
  })
  const { contentType, keepAlive } = stream
  const answer: Answer = { contentType, keepAlive, headers, body: iteratedSource(bytes) }
  return {
    answer,
    onEnd(listener) {
      tellEnd = listener
    },
  }
}

type StreamOutcome = { readonly response: ChatResponse } | { readonly error: unknown }

const text = new TextEncoder()

async function* writeEvents(
  opening: Opening,
  question: Question,
  { encoder, write, end }: ReturnType<Question['endpoint']['openStream']>,
  { remember, ids }: Writing,
  onEnd: (outcome: StreamOutcome) => void,
): AsyncGenerator<Uint8Array, void> {
  let outcome: StreamOutcome = { error: new DOMException('the client hung up', 'AbortError') }
  try {
    for await (const event of eventsOf(opening)) {
      outcome = (await outcomeOf(event, opening, question)) ?? outcome
      // The next turn may come as soon as the client has read the end of this one.
      if (event.type === 'finish') await remember(event.response)
      const frames = encoder.push(eventWithReplyIds(inClientsWords(event, question), ids))
      if (frames.length > 0) yield text.encode(write(frames))
    }
    const last = end()
    if (last !== '') yield text.encode(last)
  } finally {
    if ('error' in outcome) question.report.failure = outcome.error
    onEnd(outcome)
  }
}

function inClientsWords(event: ChatEvent, { endpoint }: Question): ChatEvent {
  if (event.type !== 'error') return event
  return { ...event, error: streamedInWordsOf(endpoint, event.error) }
}

async function outcomeOf(
  event: ChatEvent,
  opening: Opening,
  question: Question,
): Promise<StreamOutcome | undefined> {
  if (event.type === 'error') return { error: await failureOf(event.error, opening) }
  if (event.type !== 'finish') return undefined
  note(question, event.response)
  return { response: event.response }
}

function note({ report }: Question, { message, issues, usage }: ChatResponse): void {
  report.usage = usage
  noteIssues(report, issues)
  for (const call of message.toolCalls ?? []) if (call.origin === 'text') noteCall(report, call)
}
