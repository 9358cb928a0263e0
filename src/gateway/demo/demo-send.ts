/** The demo models as a provider: requests in OpenAI's form are answered here, without any network. */
import { writeFrame } from '../../client/frames.ts'
import type { ChatRequest, ChatResponse } from '../../core/chat.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { openaiChat } from '../../dialects/openai-chat.ts'
import type { Send, UpstreamReply, UpstreamRequest } from '../http.ts'
import { findDemoModel, listDemoModels } from './demo-models.ts'
import { createPacedSource, type Pace } from './paced-source.ts'
import { eventsOf, replyTo } from './reply.ts'

export interface DemoSendOptions {
  /** Milliseconds between the pieces of `demo/slow`. Default 30. */
  readonly slowMs?: number
}

const SLOW_MS = 30

export function createDemoSend({ slowMs = SLOW_MS }: DemoSendOptions = {}): Send {
  function complete({ body: text, signal }: UpstreamRequest): UpstreamReply {
    const body = typeof text === 'string' ? parseObject(text) : undefined
    if (!body) return refuse(400, 'the body is not a JSON object', 'invalid_json')
    const request = readRequest(body)
    if (request instanceof InvalidInputError) return refuse(400, request.message, request.code)
    const model = findDemoModel(request.model)
    if (!model) return refuseModel(request.model)
    const reply = replyTo(request, model)
    if (request.stream !== true) return whole(200, openaiChat.encodeResponse(reply), signal)
    return streamed(reply, wantsUsage(body), { signal, pauseMs: model.slow ? slowMs : 0 })
  }

  return async (request) => {
    request.signal?.throwIfAborted()
    const path = `${request.method} ${request.url.pathname}`
    if (/^POST .*\/chat\/completions$/.test(path)) return complete(request)
    if (/^GET .*\/models$/.test(path)) return whole(200, modelList(), request.signal)
    return refuse(404, `there is nothing at ${path}`, 'unknown_url')
  }
}

function readRequest(body: JsonObject): ChatRequest | InvalidInputError {
  try {
    return openaiChat.decodeRequest(body)
  } catch (error) {
    if (error instanceof InvalidInputError) return error
    throw error
  }
}

function wantsUsage({ stream_options: options }: JsonObject): boolean {
  return isJsonObject(options) && options['include_usage'] === true
}

function modelList(): JsonObject {
  const data = listDemoModels().map(({ id }) => {
    return { id, object: 'model', created: 0, owned_by: 'toolglot' }
  })
  return { object: 'list', data }
}

function whole(status: number, body: JsonObject, signal?: AbortSignal): UpstreamReply {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: createPacedSource([bytes], { signal }),
  }
}

function streamed(reply: ChatResponse, usage: boolean, pace: Pace): UpstreamReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: createPacedSource(streamBytes(reply, usage), pace),
  }
}

function* streamBytes(reply: ChatResponse, usage: boolean): Generator<Uint8Array> {
  const { framing, createStreamEncoder } = openaiChat
  const encoder = createStreamEncoder({ usage })
  for (const event of eventsOf(reply)) {
    for (const frame of encoder.push(event)) yield writeFrame(framing, frame)
  }
}

function refuseModel(model: string): UpstreamReply {
  const message = `there is no model "${model}" here; ask for the list of models, or try "hermes" or "native"`
  return refuse(404, message, 'model_not_found', 'model')
}

function refuse(
  status: number,
  message: string,
  code: string,
  param: string | null = null,
): UpstreamReply {
  return whole(status, { error: { message, type: 'invalid_request_error', param, code } })
}
