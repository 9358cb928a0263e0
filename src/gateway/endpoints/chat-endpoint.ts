/** What most endpoints have in common. */
import type { ChatEvent, ChatResponse, StreamFailure } from '../../core/chat.ts'
import type { Dialect, Frame, StreamEncoder } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Endpoint, Place, ReplyFacts, ReplyStream, Sight } from './endpoint.ts'

type Own = 'id' | 'path' | 'writeError' | 'complete'

/** An endpoint that speaks a dialect, with what is its own. */
export function chatEndpoint(
  dialect: Dialect,
  own: Pick<Endpoint, Own> & Partial<Endpoint>,
): Endpoint {
  return {
    dialect,
    sight,
    // Functions, as clients of OpenAI declared them before there were tools, count like tools.
    toolsIn: ({ tools, functions }) => [tools ?? [], functions ?? []].flat(),
    *read(body, { model, streamed }) {
      return { ...(yield* dialect.decodingSteps(body)), model, stream: streamed }
    },
    passes: () => true,
    rename: (body, model) => ({ ...body, model }),
    modelPlaces: [['model']],
    writeReply: (response, facts) => dialect.encodeResponse(named(response, facts)),
    openStream: (seen, facts) => frameStream(dialect, seen, facts),
    writeBreak: (failure, { sight: seen, facts }) => {
      const { encoder, write } = frameStream(dialect, seen, facts)
      return write(breakFrames(encoder, failure))
    },
    ...own,
  }
}

/** The stream has begun already: only that it fails is news. */
export function breakFrames(
  encoder: StreamEncoder,
  failure: StreamFailure,
  start: Pick<ChatResponse, 'id' | 'model'> = {},
): Frame[] {
  encoder.push({ type: 'start', ...start })
  return encoder.push({ type: 'error', error: failure })
}

export function sight(body: JsonObject, place: Place): Sight {
  const { model, stream, tools } = body
  return {
    model: place.model ?? (typeof model === 'string' ? model : ''),
    streamed: stream === true,
    tools: Array.isArray(tools) ? tools.length : 0,
    usage: true,
    place,
  }
}

/** A reply under an id and a model, whatever the provider said. */
export function named(response: ChatResponse, facts: ReplyFacts): ChatResponse {
  return { ...response, id: response.id || facts.id, model: modelName(response.model, facts) }
}

/** Clients count and compare by the name they asked for. */
function modelName(own: string | undefined, { model, isRenamed }: ReplyFacts): string {
  return isRenamed ? model : own || model
}

/** The beginning of a stream names the reply, and in some dialects so does its end. */
function namedEvent(event: ChatEvent, facts: ReplyFacts): ChatEvent {
  if (event.type === 'finish') return { ...event, response: named(event.response, facts) }
  if (event.type !== 'start') return event
  return { ...event, id: event.id || facts.id, model: modelName(event.model, facts) }
}

/** Clients refer to replies by their ids, so these must be ours: providers may repeat theirs. */
export function withOwnIds(endpoint: Endpoint, prefix: string): Endpoint {
  const ownId = ({ id }: ReplyFacts): string => id.replace(/^req_/, prefix)
  return {
    ...endpoint,
    writeReply: (response, facts) => endpoint.writeReply({ ...response, id: ownId(facts) }, facts),
    openStream(seen, facts) {
      const stream = endpoint.openStream(seen, facts)
      const id = ownId(facts)
      const { encoder } = stream
      return { ...stream, encoder: { push: (event) => encoder.push(withId(event, id)) } }
    },
  }
}

function withId(event: ChatEvent, id: string): ChatEvent {
  if (event.type === 'start') return { ...event, id }
  return event.type === 'finish' ? { ...event, response: { ...event.response, id } } : event
}

export const CONTENT_TYPES = {
  sse: 'text/event-stream; charset=utf-8',
  ndjson: 'application/x-ndjson',
  aws: 'application/vnd.amazon.eventstream',
} as const

/** A sign of life that clients of server-sent events skip. */
export const KEEP_ALIVE_COMMENT = ': keep-alive\n\n'

function frameStream(dialect: Dialect, { usage }: Sight, facts: ReplyFacts): ReplyStream {
  const { created } = facts
  const isSse = dialect.framing === 'sse'
  const encoder = dialect.createStreamEncoder({ created, usage })
  return {
    contentType: CONTENT_TYPES[dialect.framing],
    encoder: {
      push: (event) => encoder.push(namedEvent(event, facts)),
    },
    write: (frames) => frames.map(isSse ? sseFrame : lineFrame).join(''),
    end: () => '',
    keepAlive: isSse ? KEEP_ALIVE_COMMENT : '',
  }
}

export function sseFrame({ event, data }: Frame): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`
}

function lineFrame({ data }: Frame): string {
  return `${data}\n`
}
