/** Limits of replies that fit beside the prompt, for questions that pass as they are. */
import {
  fittingAfter,
  fittingReply,
  LONG_REPLY,
  replyLimitIn,
  withReplyLimit,
} from '../client/reply-limit.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Question } from './question.ts'
import type { Target } from './target.ts'

/** A server that answers at all about its models does so at once, unless it can do only one thing at a time. */
const LOOK_MS = 1000

/** Where bodies of a question's dialect have the limit of the reply; the second is an older name. */
function placesIn({ endpoint }: Question): readonly string[] {
  const { maxTokens } = endpoint.dialect.settings
  return [...new Set([...(maxTokens === undefined ? [] : [maxTokens]), 'max_tokens'])]
}

/** What the client asks for the reply, in its own dialect. */
function askedReply(question: Question): number | undefined {
  return replyLimitIn(question.body, placesIn(question))
}

/**
 * Before a long reply is asked for, a server of one's own is asked how much room there is: once for each model, and
 * for a short time.
 */
export async function lookForRoom(
  question: Question,
  { spec: { connection }, client, model }: Target,
  signal: AbortSignal,
): Promise<void> {
  const { where, models } = connection
  if (!where.isSelfHosted || (askedReply(question) ?? 0) <= LONG_REPLY) return
  if (models.windowOf(model) !== undefined) return
  const patience = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
  // Without an answer the server may still say it in a refusal.
  await client.modelInfo?.({ signal: patience }).catch(() => signal.throwIfAborted())
}

/** The body with a reply that fits, as far as that is known. */
export function fittedBody(body: JsonObject, question: Question, target: Target): JsonObject {
  const { report } = question
  const { model, spec } = target
  const places = placesIn(question)
  const asked = replyLimitIn(body, places)
  if (asked === undefined || asked <= LONG_REPLY) return body
  const sent = report.roomForReply ?? fittingReply(asked, body, spec.connection.models, model)
  if (sent === undefined) return body
  report.fitted = { asked, sent }
  return withReplyLimit(body, places, sent)
}

/** True when the provider has said how much room there is, and has not been asked with that yet. */
export function learnsRoom(error: unknown, question: Question, target: Target): boolean {
  const { report, body } = question
  if (report.roomForReply !== undefined) return false
  const { models } = target.spec.connection
  report.roomForReply = fittingAfter(error, askedReply(question), body, models, target.model)
  return report.roomForReply !== undefined
}
