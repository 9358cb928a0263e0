/** A request to an API besides chat, put to one provider. */
import { monotonicNow } from '../../client/clock.ts'
import { classify } from '../../client/error-class.ts'
import { type ExtraBody, withExtraBody } from '../../client/extra-body.ts'
import { type KeySlot, withKeys } from '../../client/key-pool.ts'
import { createWatch, type Watch } from '../../client/watch.ts'
import type { Framing } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { StreamHead } from '../awaited-reply.ts'
import { readAll } from '../byte-source.ts'
import { CONTENT_TYPES, KEEP_ALIVE_COMMENT } from '../endpoints/chat-endpoint.ts'
import type { Place } from '../endpoints/endpoint.ts'
import { errorsFor } from '../endpoints/registry.ts'
import { failureOf } from '../gateway-error.ts'
import { returnedHeaders } from '../header-policy.ts'
import type { UpstreamReply } from '../http.ts'
import { errorOf, type Passed, refusal } from '../pass-lane.ts'
import { noteAttempt, noteIssues, type Question } from '../question.ts'
import { type Renaming, renamingTo } from '../reply-model.ts'
import { GARBAGE } from '../sound-frames.ts'
import type { Target } from '../target.ts'
import { type RelayBody, type WrittenBody, writtenJson } from './relay-body.ts'
import { endpointOf, type RelayEndpoint } from './relay-endpoint.ts'
import { relayStream } from './relay-stream.ts'
import { reportedUsage } from './reported-usage.ts'
import type { ServedApi } from './served-api.ts'
import { type AskedRelay, cannotSay, noReply } from './translation.ts'
import { inAskedFormat } from './vectors.ts'

export interface RelayRequest
  extends Pick<
    Question,
    'forwarded' | 'returned' | 'signal' | 'maxReplyBytes' | 'now' | 'pause' | 'report' | 'watch'
  > {
  readonly endpoint: RelayEndpoint
  readonly place: Place
  readonly body: RelayBody
  readonly streamed: boolean
  /** False: the request names no model, and the provider is sent none. */
  readonly isNamed: boolean
  readonly asked: AskedRelay
}

/** Throws a ProviderError while another provider can be asked. */
export async function relayTo(
  request: RelayRequest,
  target: Target,
  served: ServedApi,
  signal: AbortSignal,
): Promise<Passed> {
  const { name: provider, model, direct } = target
  const watch = createWatch(signal, monotonicNow() + direct.totalMs, { provider, model })
  let isStreaming = false
  try {
    const passed = await withKeys(direct.keys, ({ slot }) =>
      relayOnce(request, target, served, slot, watch),
    )
    isStreaming = passed.onEnd !== undefined
    return passed
  } finally {
    // A stream does so when it is over.
    if (!isStreaming) watch.dispose()
  }
}

async function relayOnce(
  request: RelayRequest,
  target: Target,
  served: ServedApi,
  slot: KeySlot | undefined,
  watch: Watch,
): Promise<Passed> {
  const reply = await ask(request, target, served, slot, watch.signal).catch((thrown: unknown) => {
    throw errorOf(target, thrown, watch.signal)
  })
  request.report.answeredAt ??= request.now()
  request.watch.upstream(reply.status)
  const type = reply.headers['content-type'] ?? ''
  const isPage = /text\/html/i.test(type)
  if (reply.status < 200 || reply.status > 299 || isPage) throw await refusal(reply, target)
  // A whole reply in JSON is a stream of one line, and some servers give lines that type.
  const isLines = request.streamed && request.endpoint.framing === 'ndjson'
  const isWhole = !request.streamed || (/\bjson\b/i.test(type) && !isLines)
  return isWhole
    ? passWhole(request, target, served, reply, watch)
    : passStream(request, target, served, reply, watch)
}

function ask(
  request: RelayRequest,
  target: Target,
  served: ServedApi,
  slot: KeySlot | undefined,
  signal: AbortSignal,
): Promise<UpstreamReply> {
  const { name: provider, model, direct, spec } = target
  const { translation, api, path } = served
  const { body, contentType, shown } = writtenFor(request, target, served)
  noteAttempt(request, {
    provider,
    model,
    dialect: api,
    lane: translation ? 'translate' : 'pass',
    body: shown,
  })
  return direct.ask({
    url: spec.connection.endpoint.at(path, model),
    body,
    contentType,
    streamed: request.streamed,
    slot,
    headers: request.forwarded,
    signal,
  })
}

function writtenFor(
  { body, isNamed, report, endpoint }: RelayRequest,
  { model, spec }: Target,
  { translation, api }: ServedApi,
): WrittenBody {
  if (!translation) return body.write(isNamed ? model : undefined, extraFor(endpoint, spec.extra))
  if (!body.isJson) throw cannotSay('a form')
  const { carried } = translation
  const lost = Object.keys(body.fields).filter((field) => !carried.includes(field))
  if (lost.length > 0) {
    const message = `${translation.to} has no ${lost.join(', ')}`
    noteIssues(report, [{ code: 'lost-field', message }])
  }
  const written = translation.request(body.fields, model)
  return writtenJson(withExtraBody(written, extraFor(endpointOf(api), spec.extra)))
}

/** What the configuration adds is meant for words that are made; of the rest, defaults fit where they are the server's. */
function extraFor(
  endpoint: Pick<RelayEndpoint, 'extra'> | undefined,
  { body, forceBody }: ExtraBody,
): ExtraBody {
  if (endpoint?.extra === 'all') return { body, forceBody }
  return endpoint?.extra === 'defaults' ? { body } : {}
}

// ── whole replies ───────────────────────────────────────────────────────────────────────────────

async function passWhole(
  request: RelayRequest,
  target: Target,
  { translation, api }: ServedApi,
  reply: UpstreamReply,
  watch: Watch,
): Promise<Passed> {
  const { maxReplyBytes, report, asked } = request
  const bytes = await readAll(reply.body, maxReplyBytes).catch((thrown: unknown) => {
    throw errorOf(target, thrown, watch.signal)
  })
  request.watch.upstreamBytes(bytes)
  const body = parseStrict(utf8.decode(bytes))
  if (isJsonObject(body) && body['error']) throw classify({ body }, fieldsOf(target))
  report.usage = reportedUsage(body)
  const headers = returnedHeaders(reply.headers, request.returned)
  if (!isJsonObject(body)) {
    if (translation || request.endpoint.framing) throw noReply('JSON')
    return { answer: { contentType: typeOf(reply), headers, body: bytes } }
  }
  const own = api === 'openai-embeddings' ? inAskedFormat(body, asked.body) : body
  const settled = translation ? translation.reply(body, asked) : own
  const rename = translation ? undefined : renamingFor(request, target)
  const { framing } = request.endpoint
  // Some servers do not stream, whatever they are asked.
  if (request.streamed && framing) {
    const contentType = CONTENT_TYPES[framing]
    return { answer: { contentType, headers, body: asStream(settled, framing, rename) } }
  }
  const isUnchanged = settled === body && !rename
  const written = isUnchanged ? bytes : writtenReply(settled, rename)
  return { answer: { contentType: 'application/json', headers, body: written } }
}

/** Puts the client's name for the model into replies; undefined when the client asked for the provider's own name. */
function renamingFor({ asked }: RelayRequest, { model }: Target): Renaming | undefined {
  return asked.model === model ? undefined : renamingTo(asked.model, [['model']])
}

function writtenReply(body: JsonObject, rename: Renaming | undefined): string {
  const text = JSON.stringify(body)
  return rename?.body(text) ?? text
}

/** A whole reply as the only frame of a stream. */
function asStream(body: JsonObject, framing: Framing, rename: Renaming | undefined): string {
  const text = writtenReply(body, rename)
  return framing === 'sse' ? `data: ${text}\n\ndata: [DONE]\n\n` : `${text}\n`
}

function typeOf({ headers }: UpstreamReply): string {
  return headers['content-type'] ?? 'application/octet-stream'
}

function fieldsOf({ name, model }: Target): { readonly provider: string; readonly model: string } {
  return { provider: name, model }
}

const utf8 = new TextDecoder()

// ── streams ─────────────────────────────────────────────────────────────────────────────────────

function passStream(
  request: RelayRequest,
  target: Target,
  { translation, api }: ServedApi,
  reply: UpstreamReply,
  watch: Watch,
): Passed {
  const { report, asked } = request
  const own = translation?.stream
  if (translation && !own) throw noReply('JSON')
  const { framing: usual, complete } = endpointOf(api) ?? {}
  const type = typeOf(reply)
  const isVague = /^(?:text\/plain|application\/octet-stream|application\/json)/i.test(type)
  const framing = framingOf(type) ?? (isVague ? usual : undefined)
  const given = framing === undefined ? type : CONTENT_TYPES[framing]
  const contentType = own?.contentType ?? given
  const clientFraming = framingOf(contentType)
  let ending: { readonly error?: unknown } | undefined
  let tellEnd: ((error?: unknown) => void) | undefined
  const body = relayStream(reply.body, {
    framing: own?.framing ?? framing,
    writer: own?.open(asked),
    rename: translation ? undefined : renamingFor(request, target),
    complete: framing && complete,
    maxBytes: request.maxReplyBytes,
    onBytes: (bytes) => request.watch.upstreamBytes(bytes),
    onUsage(usage) {
      report.usage = usage
    },
    onGarbage: () => noteIssues(report, [GARBAGE]),
    writeBreak: (error) => breakFrame(request, clientFraming, error),
    errorOf: (thrown) => errorOf(target, thrown, watch.signal),
    onEnd(error) {
      if (error !== undefined) report.failure = error
      watch.dispose()
      ending = { error }
      tellEnd?.(error)
    },
  })
  return {
    answer: {
      contentType,
      keepAlive: keepAliveIn(clientFraming),
      headers: returnedHeaders(reply.headers, request.returned),
      body,
    },
    onEnd(listener) {
      tellEnd = listener
      if (ending) listener(ending.error)
    },
  }
}

/** Undefined for bytes without frames. */
function framingOf(type: string): Framing | undefined {
  if (/^\s*text\/event-stream\b/i.test(type)) return 'sse'
  return /ndjson|jsonl/i.test(type) ? 'ndjson' : undefined
}

/** How a stream begins whose reply takes long; undefined for what may be no stream of frames. */
export function headOf(request: RelayRequest): StreamHead | undefined {
  const { framing } = request.endpoint
  if (!request.streamed || framing === undefined) return undefined
  return {
    contentType: CONTENT_TYPES[framing],
    keepAlive: keepAliveIn(framing),
    writeError(error) {
      request.report.failure = error
      request.report.isUnanswered = true
      return breakFrame(request, framing, error)
    },
  }
}

function keepAliveIn(framing: Framing | undefined): string {
  return framing === 'sse' ? KEEP_ALIVE_COMMENT : ''
}

function breakFrame({ place }: RelayRequest, framing: Framing | undefined, error: unknown): string {
  const data = JSON.stringify(errorsFor(place.path).writeError(failureOf(error)))
  return framing === 'sse' ? `data: ${data}\n\n` : `${data}\n`
}
