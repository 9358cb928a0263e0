/** How long a request is, for clients that ask before they send it. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { GatewayReply } from '../http.ts'
import { chainFor, json, modelIn, type PageVisit } from './page.ts'

export async function countPage(visit: PageVisit): Promise<GatewayReply> {
  const { model, messages, system, tools } = visit.body
  if (typeof model === 'string') await chainFor(visit, model)
  return estimate({ input_tokens: tokensIn([messages ?? [], system ?? '', tools ?? []]) })
}

/** What is counted is the contents alone, or a whole request. */
export async function geminiCountPage(visit: PageVisit): Promise<GatewayReply> {
  await chainFor(visit, modelIn(visit))
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
