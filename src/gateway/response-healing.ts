/**
 * `plugins: [{ "id": "response-healing" }]` of OpenRouter: a reply that must be JSON, and is nearly, becomes JSON. It
 * is done here for services without the plugin. As at OpenRouter, streams stay as they are.
 */
import type { ChatRequest, ChatResponse, ResponseFormat } from '../core/chat.ts'
import { repairJson } from '../core/json/repair.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { isHealing, withoutHealing } from '../dialects/openai-chat/plugins.ts'
import type { Question } from './question.ts'
import type { Target } from './target.ts'

/** True when a reply to the question is healed here and not by the service. */
function isWanted({ body, sight }: Question, { healsReplies }: Target): boolean {
  const { plugins } = body
  return !sight.streamed && !healsReplies && Array.isArray(plugins) && plugins.some(isHealing)
}

/** A body to translate, without a wish that is met here. */
export function withoutOwnWishes(body: JsonObject, { healsReplies }: Target): JsonObject {
  return healsReplies ? body : withoutHealing(body)
}

/** The reply in the neutral model; the reply itself when there is nothing to heal. */
export function healedResponse(
  response: ChatResponse,
  { responseFormat }: Pick<ChatRequest, 'responseFormat'>,
  question: Question,
  target: Target,
): ChatResponse {
  const { message, finishReason } = response
  const { content } = message
  if (finishReason !== 'stop' || typeof content !== 'string' || !isWanted(question, target)) {
    return response
  }
  const healed = healedText(content, responseFormat)
  return healed === content ? response : { ...response, message: { ...message, content: healed } }
}

/** The body of a reply in OpenAI's chat dialect, which alone has the wish for it. */
export async function healedBody(
  body: JsonObject,
  question: Question,
  target: Target,
): Promise<JsonObject> {
  const { choices } = body
  if (!Array.isArray(choices) || !isWanted(question, target)) return body
  const { responseFormat } = await question.request()
  const healed = choices.map((choice) => healedChoice(choice, responseFormat))
  return healed.every((choice, at) => choice === choices[at]) ? body : { ...body, choices: healed }
}

function healedChoice(choice: JsonValue, format: ResponseFormat | undefined): JsonValue {
  if (!isJsonObject(choice) || choice['finish_reason'] !== 'stop') return choice
  const { message } = choice
  const content = isJsonObject(message) ? message['content'] : undefined
  if (!isJsonObject(message) || typeof content !== 'string') return choice
  const healed = healedText(content, format)
  return healed === content ? choice : { ...choice, message: { ...message, content: healed } }
}

/** The text itself when it need not or cannot be healed: half of a value is none. */
function healedText(text: string, format: ResponseFormat | undefined): string {
  if (format === undefined || format.type === 'text' || parseStrict(text) !== undefined) return text
  const schema = format.type === 'json-schema' ? format.schema : undefined
  const { value, complete } = repairJson(text, { schema })
  const isWhole = complete && typeof value === 'object' && value !== null
  return isWhole ? JSON.stringify(value) : text
}
