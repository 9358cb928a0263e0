/** Requests at Ollama's paths of chat that ask for something else, or that an Ollama server answers better itself. */
import type { Answered } from '../answering.ts'
import { type Awaited, repliedWithin } from '../awaited-reply.ts'
import type { Chain } from '../directory.ts'
import type { GatewayReply } from '../http.ts'
import { json } from '../pages/page.ts'
import type { Question } from '../question.ts'
import type { RequestBody } from '../request-body.ts'
import { asksToLoad, loadReply } from './load.ts'
import { findShared } from './relay-endpoint.ts'
import { relayOfQuestion } from './relay-request.ts'
import { isServedByAll, isServedBySome, relay } from './relaying.ts'
import { notServed } from './served-api.ts'

export type SharedAnswer =
  | { readonly answered: Answered | Awaited }
  /** Nobody need be asked. */
  | { readonly reply: GatewayReply }

export interface SharedOptions {
  /** When the request came: milliseconds since 1970. */
  readonly at: number
  readonly firstKeepAliveMs: number
}

/** Undefined for a question that is to be answered as one of chat. */
export async function answerShared(
  question: Question,
  read: RequestBody,
  chain: Chain,
  { at, firstKeepAliveMs }: SharedOptions,
): Promise<SharedAnswer | undefined> {
  const { sight, facts } = question
  const { path } = sight.place
  const { body } = read
  const endpoint = findShared(path, body)
  if (!endpoint) return undefined
  const pass = async (): Promise<SharedAnswer> => {
    const request = relayOfQuestion(question, endpoint, read, at)
    const reply = relay(request, chain)
    // Loading a model is answered whole, whatever the client streams.
    const isStreamed = endpoint.framing !== undefined
    return {
      answered: await (isStreamed ? repliedWithin(firstKeepAliveMs, question, reply) : reply),
    }
  }
  if (isServedByAll(chain, endpoint.api)) return pass()
  if (asksToLoad(path, body)) return { reply: json(loadReply(path, body, facts.model, at)) }
  const { raw, suffix } = body
  const hasSuffix = typeof suffix === 'string' && suffix !== ''
  if (!hasSuffix && raw !== true) return undefined
  if (isServedBySome(chain, endpoint.api)) return pass()
  // Chat has no words for a text that is to be filled in.
  if (hasSuffix) throw notServed(`${path} with "suffix"`, facts.model, chain)
  return undefined
}
