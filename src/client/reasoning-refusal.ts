/** Models that refuse to be asked for reasoning, which is known only when they were asked. */
import type { ChatRequest } from '../core/chat.ts'
import type { Issue } from '../core/issue.ts'
import { ProviderError } from './errors.ts'
import type { RequestPlan } from './request-plan.ts'

const SETTING = /reasoning|think|effort|chat_template_kwargs/i
const REFUSAL =
  /not (?:supported|support|permitted|allowed|available)|n't support|unsupported|unrecognized|unknown|unexpected|extra inputs|invalid|must be|should be|expected|incompatible/i
/** Thoughts of earlier turns, which are missing or were changed: another matter. */
const HISTORY =
  /reasoning_content|signature|thinking.{0,20}blocks?|final block|must be passed back/i

/** True when a provider refuses the request because of how it asks for reasoning. */
export function refusesReasoning(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false
  if (error.code !== 'bad_request' && error.code !== 'unsupported') return false
  const { message } = error
  return SETTING.test(message) && REFUSAL.test(message) && !HISTORY.test(message)
}

export interface ReasoningMemory {
  /** The request as the model takes it. */
  fit<T extends Pick<ChatRequest, 'reasoning'>>(request: T, model: string): T
  /** What to report of a request that was changed. */
  issues(request: Pick<ChatRequest, 'reasoning'>, model: string): readonly Issue[]
  /** True when the failure says that this model takes no reasoning, and it can be asked without. */
  learn(error: unknown, plan: RequestPlan): boolean
}

export function createReasoningMemory(): ReasoningMemory {
  const without = new Set<string>()
  return {
    fit(request, model) {
      if (!request.reasoning || !without.has(model)) return request
      const { reasoning: _, ...rest } = request
      // Only a field that T does not demand was left out.
      return rest as typeof request
    },
    issues({ reasoning }, model) {
      if (!reasoning || !without.has(model)) return []
      const message = `${model} refused \`reasoning\`; it was left out`
      return [{ code: 'not-expressible', message }]
    },
    learn(error, { sendsReasoning, model }) {
      if (!sendsReasoning || without.has(model) || !refusesReasoning(error)) return false
      without.add(model)
      return true
    },
  }
}
