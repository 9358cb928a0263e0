/**
 * Ids of calls in a reply, as the dialect of the client has them: a client may send its history to that
 * API itself later on.
 */
import type { ChatEvent, ChatResponse } from '../../core/chat.ts'
import type {
  CodecOptions,
  IdRule,
  StreamEncoder,
  StreamEncoderOptions,
} from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { fitsId } from './id-rule.ts'
import { newId } from './ids.ts'

export interface ReplyIds {
  /** The same id for the same call each time, and different ones for different calls. */
  fit(id: string): string
}

/**
 * Ids that fit the rule. What fits stays; what is new follows from the old id alone, as far as the
 * conversation has not used it.
 */
export function createReplyIds(rule: IdRule | undefined, usedIds: Iterable<string> = []): ReplyIds {
  const known = new Map<string, string>()
  const used = new Set(usedIds)

  function fitted(id: string, { pattern }: IdRule): string | undefined {
    const plain = Array.from(id, (character) => (pattern.test(character) ? character : '_')).join(
      '',
    )
    return rule && fitsId(plain, rule) && !used.has(plain) ? plain : undefined
  }

  return {
    fit(id) {
      if (!rule || id === '') return id
      const before = known.get(id)
      if (before !== undefined) return before
      const isFree = fitsId(id, rule) && !used.has(id)
      const given = isFree ? id : (fitted(id, rule) ?? newId(id, rule, used))
      known.set(id, given)
      used.add(given)
      return given
    },
  }
}

/** The reply with other ids; the same object when they all fit. */
export function withReplyIds(response: ChatResponse, ids: ReplyIds): ChatResponse {
  const { toolCalls } = response.message
  if (!toolCalls || toolCalls.every(({ id }) => ids.fit(id) === id)) return response
  const fitted = toolCalls.map((call) => withId(call, ids))
  return { ...response, message: { ...response.message, toolCalls: fitted } }
}

export function eventWithReplyIds(event: ChatEvent, ids: ReplyIds): ChatEvent {
  if (event.type === 'call-start') return { ...event, id: ids.fit(event.id) }
  if (event.type === 'call-end') return { ...event, call: withId(event.call, ids) }
  if (event.type === 'finish') return { ...event, response: withReplyIds(event.response, ids) }
  return event
}

function withId(call: ToolCall, ids: ReplyIds): ToolCall {
  const id = ids.fit(call.id)
  return id === call.id ? call : { ...call, id, originalId: call.originalId ?? call.id }
}

type EncodeResponse = (response: ChatResponse, options?: CodecOptions) => JsonObject
type CreateEncoder = (options?: StreamEncoderOptions) => StreamEncoder

/** The encoders of a dialect, which write no ids that its own API would refuse. */
export function fittingIds(
  rule: IdRule,
  encodeResponse: EncodeResponse,
  createStreamEncoder: CreateEncoder,
): { readonly encodeResponse: EncodeResponse; readonly createStreamEncoder: CreateEncoder } {
  return {
    encodeResponse: (response, options) =>
      encodeResponse(withReplyIds(response, createReplyIds(rule)), options),
    createStreamEncoder(options) {
      const encoder = createStreamEncoder(options)
      const ids = createReplyIds(rule)
      return { push: (event) => encoder.push(eventWithReplyIds(event, ids)) }
    },
  }
}
