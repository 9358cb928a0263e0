/** What a client sends to an API besides chat, read before anybody is asked. */
import type { KnownKey } from '../access.ts'
import type { GatewayConfig } from '../config.ts'
import type { Directory } from '../directory.ts'
import { forwardedHeaders } from '../header-policy.ts'
import type { GatewayRequest } from '../http.ts'
import type { Limits } from '../limits.ts'
import type { Question } from '../question.ts'
import { giveOthersATurn, type RequestBody, readLongBody } from '../request-body.ts'
import type { Visit } from '../visit.ts'
import { isForm, readForm } from './form.ts'
import { formRelayBody, jsonRelayBody, type RelayBody } from './relay-body.ts'
import type { FoundRelay, RelayEndpoint } from './relay-endpoint.ts'
import type { RelayRequest } from './relay-lane.ts'
import { usualModel } from './relaying.ts'

export interface RelayAsking {
  readonly request: GatewayRequest
  readonly found: FoundRelay
  readonly visit: Visit
  readonly key: KnownKey | undefined
  readonly config: GatewayConfig
  readonly limits: Limits
  readonly directory: Directory
  /** The body of a request that is JSON. */
  readBody(): Promise<RequestBody>
}

export interface OpenedRelay {
  readonly request: RelayRequest
  /** Who is asked; the request itself may name nobody. */
  readonly model: string
}

export async function openRelay(asking: RelayAsking): Promise<OpenedRelay> {
  const { request, found, visit, key, config, limits, directory } = asking
  const { endpoint, place } = found
  const body = await bodyOf(asking)
  const given = request.headers['x-toolglot-model'] ?? place.model ?? body.fields['model']
  const name = typeof given === 'string' ? given : ''
  const isNamed = name !== '' || endpoint.modelOptional !== true
  const model = isNamed ? name : usualModel(directory, endpoint.api, place.path)
  const streamed = endpoint.streams(body.fields)
  const { id, at, report, watch } = visit
  const asked = { model, streamed, tools: 0, key: key?.name, body: body.shown }
  watch.asked({ endpoint: endpoint.api, ...asked })
  return {
    model,
    request: {
      endpoint,
      place,
      body,
      streamed,
      isNamed,
      asked: { body: body.fields, model, id, at },
      forwarded: forwardedHeaders(request.headers, config.forwardHeaders),
      returned: config.returnHeaders ?? [],
      signal: request.signal,
      maxReplyBytes: limits.replyBytes,
      now: visit.now,
      pause: () => giveOthersATurn(body.shown),
      report,
      watch,
    },
  }
}

async function bodyOf({
  request,
  found,
  visit,
  limits,
  readBody,
}: RelayAsking): Promise<RelayBody> {
  const { endpoint } = found
  const { 'content-type': type } = request.headers
  if (endpoint.body !== 'form' || !isForm(type)) return jsonRelayBody(await readBody(), endpoint)
  const bytes = await readLongBody(request, limits)
  visit.bytesIn = bytes.length
  return formRelayBody(readForm(bytes, type), bytes, type)
}

/** A question of chat that asks for something else. */
export function relayOfQuestion(
  question: Question,
  endpoint: RelayEndpoint,
  { body, bytes }: RequestBody,
  at: number,
): RelayRequest {
  const { sight, facts } = question
  return {
    ...question,
    endpoint,
    place: sight.place,
    body: jsonRelayBody({ body, bytes }, endpoint),
    streamed: endpoint.streams(body),
    isNamed: true,
    asked: { body, model: facts.model, id: facts.id, at },
  }
}
