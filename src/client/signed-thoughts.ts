/**
 * Thoughts of earlier turns that a service does not take back. Newer Claude models sign them together with all that
 * came before, so a thought is refused once the system prompt, the tools or an earlier message have changed: by a
 * compaction, by a gateway, or because another account has signed it.
 */
import type { ChatRequest } from '../core/chat.ts'
import type { Issue } from '../core/issue.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Message } from '../core/model.ts'
import type { ProviderDialect } from '../providers/provider.ts'
import { ProviderError } from './errors.ts'
import type { RequestPlan } from './request-plan.ts'

/** True when a service refuses a request because of the signature of a thought in it. */
export function refusesSignature(error: unknown): boolean {
  if (!(error instanceof ProviderError) || error.code !== 'bad_request') return false
  return /signature/i.test(error.message) && /thinking|reasoning/i.test(error.message)
}

/** Who asks for an error does not want thoughts to be left out. */
export function wantsMismatchError({ thinking }: Partial<JsonObject>): boolean {
  const binding = isJsonObject(thinking) ? thinking['block_binding'] : undefined
  return isJsonObject(binding) && binding['prefix_mismatch_behavior'] === 'error'
}

export const THOUGHTS_LEFT_OUT: Issue = {
  code: 'lost-field',
  message:
    'the service did not accept the signature of earlier reasoning; the request went again without it',
}

export interface ThoughtMemory {
  /** The request without thoughts that were refused before. */
  fit(request: ChatRequest, dialect: ProviderDialect): ChatRequest
  issues(request: Pick<ChatRequest, 'messages'>): readonly Issue[]
  /** True when the failure is about thoughts that can be left out. */
  learn(error: unknown, plan: RequestPlan): boolean
}

/** Agents send the same messages again with each turn, so what was refused once need not be refused again. */
export function createThoughtMemory(): ThoughtMemory {
  const refused = new WeakSet<Message>()
  return {
    fit(request, dialect) {
      const { messages } = request
      const { forgetThoughts } = dialect
      if (!forgetThoughts || !messages.some((one) => refused.has(one))) return request
      const fitted = messages.map((one) => (refused.has(one) ? forgetThoughts(one) : one))
      return { ...request, messages: fitted }
    },
    issues: ({ messages }) => (messages.some((one) => refused.has(one)) ? [THOUGHTS_LEFT_OUT] : []),
    learn(error, { dialect, messages, body }) {
      if (!dialect.forgetThoughts || !refusesSignature(error) || wantsMismatchError(body)) {
        return false
      }
      const fresh = messages.filter((one) => one.role === 'assistant' && !refused.has(one))
      for (const message of fresh) refused.add(message)
      return fresh.length > 0
    },
  }
}
