/** A client's requests with replies that fit, as far as it is known what does. */
import type { ChatRequest } from '../core/chat.ts'
import type { JsonValue } from '../core/json/value.ts'
import type { RequestOptions } from './chat-client.ts'
import type { ModelMemory } from './model-memory.ts'
import { fittingAfter, fittingReply, LONG_REPLY } from './reply-limit.ts'
import type { ReplyLimit, RequestPlan } from './request-plan.ts'

export interface ReplyFitting {
  /** The request as the model has room for it. */
  fit(request: ChatRequest, limit: ReplyLimit, options: RequestOptions): ChatRequest
  /** True when the failure says how much room there is, and the request can be sent again with that. */
  learn(error: unknown, plan: RequestPlan): boolean
}

export function createReplyFitting(models: ModelMemory): ReplyFitting {
  return {
    fit(request, limit, { onFitted }) {
      const { model, maxTokens: asked } = request
      if (asked === undefined || asked <= LONG_REPLY) return request
      limit.asked = asked
      // Only what JSON can hold is sent, and only its length counts.
      limit.prompt = [request.messages, request.tools ?? []] as unknown as JsonValue
      const sent = limit.most ?? fittingReply(asked, limit.prompt, models, model)
      if (sent === undefined) return request
      onFitted?.({ asked, sent })
      return { ...request, maxTokens: sent }
    },
    learn(error, { limit, model }) {
      // A service that refuses the number it has given would be asked for ever.
      if (limit.most !== undefined || limit.prompt === undefined) return false
      limit.most = fittingAfter(error, limit.asked, limit.prompt, models, model)
      return limit.most !== undefined
    },
  }
}
