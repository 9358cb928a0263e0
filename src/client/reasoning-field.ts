/**
 * The field in which a server has the reasoning of its models: its replies show it, and a server that refuses a
 * field says so only when it gets the field.
 */
import type { ChatRequest } from '../core/chat.ts'
import type { Quirks, ReasoningField } from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { ProviderDialect } from '../providers/provider.ts'
import { ProviderError } from './errors.ts'

/** Looks at one reply, whole or in chunks. */
export interface ReasoningWatch {
  whole(body: unknown): void
  /** The data of a frame. */
  frame(data: string): void
  /** False for text that needs no look, as most has no reasoning or comes after the first that has some. */
  mayBeIn(text: string): boolean
}

/** Tells the first field of a reply that has reasoning. */
export function watchReasoning(
  { reasoningFieldIn }: Pick<ProviderDialect, 'reasoningFieldIn'>,
  onField: (field: ReasoningField) => void,
): ReasoningWatch {
  let isFound = reasoningFieldIn === undefined

  function look(body: unknown): void {
    const field = isJsonObject(body) ? reasoningFieldIn?.(body) : undefined
    if (field === undefined) return
    isFound = true
    onField(field)
  }

  const mayBeIn = (text: string): boolean => !isFound && text.includes('"reasoning')
  return {
    whole: look,
    frame(data) {
      if (mayBeIn(data)) look(parseStrict(data))
    },
    mayBeIn,
  }
}

const REFUSAL =
  /not (?:supported|support|permitted|allowed|expected|recogni[sz]ed)|n't support|unsupported|unrecogni[sz]ed|unknown|unexpected|extra|forbidden|additional propert|should not/i
/** Reasoning is missing or was changed, which is the opposite. */
const WANTED = /must be|missing|required|signature/i

/** The field of reasoning in the history of a request, which is why the provider refuses the request. */
export function refusedField(error: unknown, body: JsonObject): ReasoningField | undefined {
  if (!(error instanceof ProviderError)) return undefined
  if (error.code !== 'bad_request' && error.code !== 'unsupported') return undefined
  const { message } = error
  if (!REFUSAL.test(message) || WANTED.test(message)) return undefined
  return FIELDS.find(([field, name]) => name.test(message) && isSent(body, field))?.[0]
}

const FIELDS: readonly (readonly [ReasoningField, RegExp])[] = [
  ['reasoning_content', /\breasoning_content\b/],
  ['reasoning_details', /\breasoning_details\b/],
  ['reasoning', /\breasoning\b/],
]

function isSent({ messages }: JsonObject, field: ReasoningField): boolean {
  if (!Array.isArray(messages)) return false
  return messages.some((message) => isJsonObject(message) && field in message)
}

/** True when a body has reasoning of earlier turns. */
export function hasReasoning(body: JsonObject): boolean {
  return FIELDS.some(([field]) => isSent(body, field))
}

/** What is lost because the service has refused every field for reasoning that is known of it. */
export function refusalIssues(
  { messages }: Pick<ChatRequest, 'messages'>,
  model: string,
): readonly Issue[] {
  if (!messages.some(({ role, reasoning }) => role === 'assistant' && reasoning)) return []
  return [lostReasoning(model)]
}

export function lostReasoning(model: string): Issue {
  const message = `${model} refused reasoning of earlier turns: \`reasoning\` was left out`
  return { code: 'lost-field', message, fields: ['reasoning'] }
}

/** True when reasoning does not go back, and nobody has asked for that. */
export function isRefused(quirks: Quirks, wanted: ReasoningField | false | undefined): boolean {
  return quirks.reasoningField === false && wanted !== false
}
