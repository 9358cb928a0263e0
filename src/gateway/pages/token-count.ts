/** How long a request is, for clients that ask before they send it. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { GatewayReply } from '../http.ts'
import { askedModel, json, type PageVisit } from './page.ts'

export function countPage({ body, directory, key }: PageVisit): GatewayReply {
  const { model, messages, system, tools } = body
  if (typeof model === 'string') directory.find(model, key)
  return estimate({ input_tokens: tokensIn([messages ?? [], system ?? '', tools ?? []]) })
}

/** What is counted is the contents alone, or a whole request. */
export function geminiCountPage(visit: PageVisit): GatewayReply {
  askedModel(visit)
  const { contents, generateContentRequest } = visit.body
  return estimate({ totalTokens: tokensIn(generateContentRequest ?? contents ?? []) })
}

/** Each model counts in its own way, and most cannot be asked. */
export function tokensIn(value: JsonValue): number {
  return Math.max(1, Math.ceil(JSON.stringify(value).length / CHARACTERS_A_TOKEN))
}

export function estimate(body: JsonObject): GatewayReply {
  const reply = json(body)
  return { ...reply, headers: { ...reply.headers, 'x-toolglot-estimate': 'true' } }
}

const CHARACTERS_A_TOKEN = 3.6
