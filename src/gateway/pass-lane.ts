/** A question in the provider's own dialect: it goes as it came, and so does the answer, but for calls in text. */

import { withBaseUrlHint } from '../client/base-url-hint.ts'
import { monotonicNow } from '../client/clock.ts'
import { connectionError } from '../client/connection-error.ts'
import { classify, reportsFailure } from '../client/error-class.ts'
import { ProviderError } from '../client/errors.ts'
import { withExtraBody } from '../client/extra-body.ts'
import { createFrameReader, looksLikeEvents } from '../client/frames.ts'
import { type KeySlot, withKeys } from '../client/key-pool.ts'
import { parsed } from '../client/parsed.ts'
import { replyEvents } from '../client/reply-events.ts'
import { rescueResponse } from '../client/rescue.ts'
import { type Exchange, exchangeOf, wireOf } from '../client/rescue-fetch/exchange.ts'
import { type MendingOptions, mendBody, mendStream } from '../client/rescue-fetch/mending.ts'
import { withoutSecrets } from '../client/secrets.ts'
import {
  refusesSignature,
  THOUGHTS_LEFT_OUT,
  wantsMismatchError,
} from '../client/signed-thoughts.ts'
import { createWatch, type Watch } from '../client/watch.ts'
import type { ChatResponse, Usage } from '../core/chat.ts'
import { createHeard } from '../core/heard.ts'
import { isTooDeep, TOO_DEEP } from '../core/json/depth.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { readAll, wholeSource } from './byte-source.ts'
import { GatewayError } from './gateway-error.ts'
import { returnedHeaders } from './header-policy.ts'
import { needsHosting } from './hosted/hosting.ts'
import type { UpstreamReply } from './http.ts'
import { PassingStream } from './passing-stream.ts'
import { withoutMark } from './plain-lines.ts'
import {
  type Answer,
  factsFor,
  noteAttempt,
  noteCall,
  noteIssues,
  type Question,
  readingFor,
} from './question.ts'
import { renamingFor } from './reply-model.ts'
import { fittedBody } from './reply-room.ts'
import { healedBody } from './response-healing.ts'
import type { Target } from './target.ts'

/** How much of a refusal is read. */
const MAX_ERROR_BYTES = 256 * 1024

/** True when the target can be asked in the client's own words. */
export function canPass(question: Question, target: Target): boolean {
  const { endpoint, sight, toolKinds } = question
  if (endpoint.dialect.id !== target.dialect || !endpoint.passes(sight.place)) return false
  if (!toolKinds.every((kind) => target.toolKinds.includes(kind))) return false
  if (needsHosting(question, target)) return false
  return sight.tools === 0 || target.takesTools()
}

export interface Passed {
  readonly answer: Answer
  /** A stream that can still fail tells it here. */
  onEnd?: (listener: (error?: unknown) => void) => void
}

/** Throws a ProviderError while another provider can be asked. */
export async function pass(
  question: Question,
  target: Target,
  signal: AbortSignal,
): Promise<Passed> {
  const { name: provider, model, direct } = target
  const deadline = monotonicNow() + direct.totalMs
  const watch = createWatch(signal, deadline, { provider, model }, direct.where)
  let isStreaming = false
  try {
    const passed = await passUntilTaken({ question, target, body: question.body, watch })
    isStreaming = passed.onEnd !== undefined
    return passed
  } finally {
    // A stream does so when it is over.
    if (!isStreaming) watch.dispose()
  }
}

/** What is asked, as far as it is the same for all keys. */
interface Passing {
  readonly question: Question
  readonly target: Target
  readonly body: JsonObject
  readonly watch: Watch
}

/** Asks again, without what the provider has refused, until there is nothing left to leave out. */
async function passUntilTaken(passing: Passing): Promise<Passed> {
  const { question, target } = passing
  const fitted = sentBody(passing)
  try {
    return await withKeys(target.direct.keys, ({ slot }) => passOnce(passing, { fitted, slot }))
  } catch (error) {
    if (target.learnRefusedField(error, fitted)) return passUntilTaken(passing)
    const body = withoutRefused(error, passing)
    if (!body) throw error
    noteIssues(question.report, [THOUGHTS_LEFT_OUT])
    return passUntilTaken({ ...passing, body })
  }
}

/** The body without thoughts whose signature was refused; undefined when the error is about something else. */
function withoutRefused(error: unknown, { question, body }: Passing): JsonObject | undefined {
  // Once they are gone, there is nothing left that could be refused.
  if (body !== question.body) return undefined
  if (!refusesSignature(error) || wantsMismatchError(body)) return undefined
  return question.endpoint.dialect.withoutThoughts?.(body)
}

/** What is sent, and under which key of several. */
interface Sending {
  readonly fitted: JsonObject
  readonly slot: KeySlot | undefined
}

async function passOnce(passing: Passing, sending: Sending): Promise<Passed> {
  const { question, target, watch } = passing
  const { endpoint, sight } = question
  const { signal } = watch
  // Now, while what the client sent is at hand: the reply may take minutes.
  const exchange = exchangeFor(question)
  await question.pause()
  const reply = await ask(passing, sending).catch((thrown: unknown) => {
    throw errorOf(target, thrown, signal)
  })
  question.report.answeredAt ??= question.now()
  question.watch.upstream(reply.status)
  if (reply.status < 200 || reply.status > 299) {
    throw withoutSuffix(await refusal(reply, target), question)
  }
  const type = reply.headers['content-type'] ?? ''
  const isJson = endpoint.dialect.framing !== 'ndjson' && /application\/json/i.test(type)
  if (!sight.streamed || isJson) return passWhole(question, target, reply, exchange, watch)
  if (/text\/html/i.test(type)) throw await refusal(reply, target)
  return passStream(question, target, reply, exchange, watch)
}

async function ask(
  { question, target, watch }: Passing,
  { fitted, slot }: Sending,
): Promise<UpstreamReply> {
  const { endpoint, sight, forwarded: headers } = question
  const { name: provider, model, dialect, direct } = target
  const { signal } = watch
  const body = JSON.stringify(fitted)
  await question.pause()
  noteAttempt(question, { provider, model, dialect, lane: 'pass', body })
  const { streamed } = sight
  return direct.ask({ body, streamed, slot, headers, signal, suffix: endpoint.suffix })
}

/** The client's body under the model's own name, as the service takes it and the configuration wants it. */
function sentBody({ question, target, body }: Passing): JsonObject {
  const { endpoint, report } = question
  const { model, direct, spec } = target
  const asked = endpoint.dialect.withoutFeatures?.(body, direct.lacks) ?? body
  const whole = { ...direct.defaults, ...endpoint.rename(asked, model), ...direct.fields }
  const taken = direct.fit(whole, (issue) => noteIssues(report, [issue]))
  return fittedBody(withExtraBody(taken, spec.extra), question, target)
}

/** What was thrown on the way, as an error for the chain. */
export function errorOf(
  { name, model, direct }: Target,
  thrown: unknown,
  signal: AbortSignal,
): unknown {
  if (signal.aborted) return signal.reason
  if (thrown instanceof GatewayError) return thrown
  if (thrown instanceof ProviderError) return withoutSecrets(thrown, direct.secrets)
  return connectionError(thrown, direct.secrets, { provider: name, model }, direct.where)
}

/** That a server lacks what only some have says nothing about its models. */
function withoutSuffix(error: ProviderError, { endpoint }: Question): ProviderError {
  if (endpoint.suffix === undefined || ![404, 405, 501].includes(error.status ?? 0)) return error
  const { provider, model, status } = error
  return new ProviderError('unsupported', error.message, { provider, model, status })
}

/** Why the provider did not answer the request. */
export async function refusal(
  { status, headers, body }: UpstreamReply,
  target: Target,
): Promise<ProviderError> {
  const { name: provider, model } = target
  const bytes = await readAll(body, MAX_ERROR_BYTES).catch(() => new Uint8Array())
  const text = new TextDecoder().decode(bytes)
  const fields = { provider, model }
  if (status < 400) {
    const what = status < 300 ? 'a page instead of a reply' : 'the address of another place'
    const message = `the provider answered with ${what}; is the base URL right?`
    return new ProviderError(status < 300 ? 'server_error' : 'not_found', message, {
      ...fields,
      status,
      retryable: false,
    })
  }
  const refused = classify(
    { status, headers: { get: (name) => headers[name] ?? null }, body: parsed(text) },
    fields,
  )
  return withBaseUrlHint(refused, target.direct.where, target.direct.usualBase)
}

// ── whole replies ───────────────────────────────────────────────────────────────────────────────

async function passWhole(
  question: Question,
  target: Target,
  reply: UpstreamReply,
  exchange: Exchange | undefined,
  watch: Watch,
): Promise<Passed> {
  const came = await readAll(reply.body, question.maxReplyBytes).catch((thrown: unknown) => {
    throw errorOf(target, thrown, watch.signal)
  })
  const bytes = withoutMark(came)
  const text = utf8.decode(bytes)
  if (question.sight.streamed && looksLikeEvents(text)) {
    return passStream(question, target, { ...reply, body: wholeSource(bytes) }, exchange, watch)
  }
  question.watch.upstreamBytes(bytes)
  const headers = returnedHeaders(reply.headers, question.returned)
  const body = parsed(text)
  // Some servers do not stream, whatever they are asked.
  if (question.sight.streamed) {
    const response = replyIn(body, question, target)
    question.report.usage = response.usage
    return { answer: { ...(await replay(response, question, target)), headers } }
  }
  await notePassed(() => text, question, target)
  question.report.usage = usageIn(body, question, target)
  target.direct.watchReply().whole(body)
  const filled = isJsonObject(body) ? (question.endpoint.filled?.reply(body) ?? body) : body
  const healed = isJsonObject(filled) ? await healedBody(filled, question, target) : filled
  const mended =
    exchange && isJsonObject(healed)
      ? mend(healed, exchange, mendingOptions(question, target))
      : healed
  const written = mended === body ? text : JSON.stringify(mended)
  const named = renamingFor(question, target)?.body(written) ?? written
  return {
    answer: { contentType: 'application/json', headers, body: named === text ? bytes : named },
  }
}

const utf8 = new TextDecoder()

/** The client may ask for the reply again, and only this provider has it. */
async function notePassed(text: () => string, question: Question, target: Target): Promise<void> {
  const id = question.endpoint.keptId?.(text())
  if (id !== undefined) await question.notePassed(id, target)
}

/** Throws when the body is no reply. */
function usageIn(body: unknown, question: Question, target: Target): Usage {
  const usage = isJsonObject(body) ? question.endpoint.dialect.usageIn?.(body) : undefined
  return usage ?? replyIn(body, question, target).usage
}

/** Throws when the body is no reply. */
function replyIn(body: unknown, { endpoint }: Question, target: Target): ChatResponse {
  const { name, model } = target
  const fields = { provider: name, model }
  const response = endpoint.dialect.decodeResponse(body)
  if (!response.error) return response
  if (isJsonObject(body) && reportsFailure(body)) {
    const { where, usualBase } = target.direct
    throw withBaseUrlHint(classify({ body }, fields), where, usualBase)
  }
  const what = typeof body === 'string' && isTooDeep(body) ? TOO_DEEP : 'no reply'
  throw new ProviderError('server_error', `the provider answered with ${what}`, fields)
}

function mend(body: JsonObject, exchange: Exchange, options: MendingOptions): JsonObject {
  try {
    return mendBody(body, exchange, options)
  } catch {
    // Mending must never make a reply worse.
    return body
  }
}

/** A whole reply for a client that wants a stream. */
async function replay(
  response: ChatResponse,
  question: Question,
  target: Target,
): Promise<Pick<Answer, 'contentType' | 'body'>> {
  const { endpoint, sight, rescue, report } = question
  const { tools = [], messages } = await question.request()
  const usedIds = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
  const reading = readingFor(question, target)
  const heard = createHeard(messages)
  const options = { tools, usedIds, reading, heard }
  const settled = rescue.enabled ? rescueResponse(response, options) : response
  for (const call of settled.message.toolCalls ?? []) noteCall(report, call)
  const { contentType, encoder, write, end } = endpoint.openStream(
    sight,
    factsFor(question, target),
  )
  const frames = replyEvents(settled).flatMap((event) => encoder.push(event))
  return { contentType, body: write(frames) + end() }
}

// ── streams ─────────────────────────────────────────────────────────────────────────────────────

async function passStream(
  question: Question,
  target: Target,
  reply: UpstreamReply,
  exchange: Exchange | undefined,
  watch: Watch,
): Promise<Passed> {
  const { endpoint, sight, facts } = question
  // A short stream may be over before anybody listens.
  let ending: { readonly error?: unknown } | undefined
  let tellEnd: ((error?: unknown) => void) | undefined
  // Until then another key may be tried, in the time that is left.
  let isPassed = false
  const stream = new PassingStream(reply.body, {
    question,
    mender: exchange && mendStream(exchange, mendingOptions(question, target)),
    reasoning: target.direct.watchReply(),
    rename: renamingFor(question, target),
    errorOf: (thrown) => errorOf(target, thrown, watch.signal),
    onEnd(error) {
      ending = { error }
      tellEnd?.(error)
      if (isPassed) watch.dispose()
    },
  })
  const first = await stream.open()
  const failure = failureIn(first, question, target)
  if (failure) {
    stream.cancel()
    // Another provider may still answer.
    question.report.failure = undefined
    throw failure
  }
  await notePassed(() => utf8.decode(first), question, target)
  isPassed = true
  if (ending) watch.dispose()
  const { contentType, keepAlive } = endpoint.openStream(sight, facts)
  return {
    answer: {
      contentType,
      keepAlive,
      headers: returnedHeaders(reply.headers, question.returned),
      body: stream,
    },
    onEnd(listener) {
      tellEnd = listener
      if (ending) listener(ending.error)
    },
  }
}

/** A stream may begin with the news that there is none. */
function failureIn(first: Uint8Array, { endpoint }: Question, target: Target): unknown {
  const { name: provider, model } = target
  if (!new TextDecoder().decode(first).includes('"error"')) return undefined
  const reader = createFrameReader(endpoint.dialect.framing)
  const decoder = endpoint.dialect.createStreamDecoder()
  const events = reader.push(first).flatMap((frame) => decoder.push(frame))
  const error = events.find((event) => event.type === 'error')
  const isSeen = events.some(({ type }) => type !== 'start' && type !== 'error')
  if (!error || isSeen) return undefined
  const { message, code, status } = error.error
  return classify({ status, body: { error: { message, code } } }, { provider, model })
}

// ── calls in text ───────────────────────────────────────────────────────────────────────────────

function exchangeFor({ endpoint, sight, body, rescue }: Question): Exchange | undefined {
  if (!rescue.enabled || sight.tools === 0) return undefined
  const wire = wireOf(endpoint.dialect.id)
  return wire && exchangeOf(wire, body, sight.place.path)
}

function mendingOptions(question: Question, target: Target): MendingOptions {
  const { report } = question
  return {
    ...readingFor(question, target),
    onRescue: ({ call }) => noteCall(report, call),
    onIssue: ({ issue }) => noteIssues(report, [issue]),
  }
}
