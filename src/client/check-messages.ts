/** The conversation of a request from a caller without types, refused before anything of it is lost. */
import { checkList, checkObject, refused } from '../core/caller-input.ts'
import type { OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { Message, Part } from '../core/model.ts'
import { didYouMean, nearest } from '../core/nearest.ts'

export const REQUEST_EXAMPLE = "{ messages: [{ role: 'user', content: 'Hello' }] }"
const MESSAGE_EXAMPLE = "{ role: 'user', content: 'Hello' }"
const CALL_EXAMPLE = "{ id: 'call_1', name: 'get_weather', arguments: {} }"
const RESULT_EXAMPLE = "{ callId: 'call_1', content: '12 °C' }"

const KEYS: readonly string[] = Object.keys({
  role: 0,
  content: 0,
  toolCalls: 0,
  toolResults: 0,
  reasoning: 0,
  isAborted: 0,
  extra: 0,
} satisfies OptionKeys<Message>)

const ROLES: readonly string[] = ['system', 'user', 'assistant', 'tool']
const PARTS: readonly string[] = ['text', 'image', 'file'] satisfies readonly Part['type'][]

/** Fields that messages of other APIs have for what is a field of another kind here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  tool_calls: `toolCalls: [${CALL_EXAMPLE}]`,
  tool_call_id: `toolResults: [${RESULT_EXAMPLE}]`,
  tool_results: `toolResults: [${RESULT_EXAMPLE}]`,
  function_call: `toolCalls: [${CALL_EXAMPLE}]`,
  reasoning_content: "reasoning: 'The user greets me.'",
  parts: "content: [{ type: 'text', text: 'Hello' }]",
}

/**
 * The messages; those without content as ones with an empty one.
 *
 * @throws InvalidInputError
 */
export function checkMessages(messages: readonly Message[]): readonly Message[] {
  checkList('messages', messages, `a list, as in ${REQUEST_EXAMPLE}`)
  if (messages.length === 0) {
    throw new InvalidInputError(`messages is empty; write at least one, as in ${REQUEST_EXAMPLE}`)
  }
  return messages.map(readMessage)
}

function readMessage(message: Message, at: number): Message {
  const place = `messages[${at}]`
  checkObject(place, message, `a message, as in ${MESSAGE_EXAMPLE}`)
  const { role, content }: { readonly role: string; readonly content?: unknown } = message
  if (!ROLES.includes(role)) throw refused(`${place}.role`, role, ROLES.join(', '))
  for (const key of Object.keys(message)) if (!KEYS.includes(key)) checkForeign(place, key)
  checkCalls(`${place}.toolCalls`, message.toolCalls)
  checkResults(`${place}.toolResults`, message.toolResults)
  // What JSON and other APIs have for a message of nothing but calls.
  if (content === null || content === undefined) return { ...message, content: '' }
  checkContent(`${place}.content`, content)
  return message
}

/** Programs keep fields of their own in messages, such as `id` and `createdAt`; the model never sees them. */
function checkForeign(place: string, key: string): void {
  const ours = ELSEWHERE[key] ?? nearest(key, KEYS)
  if (ours) throw new InvalidInputError(`${place} has "${key}"; write ${ours}`)
}

function checkContent(place: string, content: unknown): void {
  if (typeof content === 'string') return
  if (!Array.isArray(content)) throw refused(place, content, 'text or a list of parts')
  for (const [index, part] of content.entries()) checkPart(`${place}[${index}]`, part)
}

function checkPart(place: string, part: unknown): void {
  if (!isJsonObject(part)) throw refused(place, part, "a part, as in { type: 'text', text }")
  const { type, text } = part
  if (typeof type !== 'string' || !PARTS.includes(type)) {
    const hint = typeof type === 'string' ? didYouMean(type, PARTS) : ''
    throw new InvalidInputError(`${place}.type must be ${PARTS.join(', ')}${hint}`)
  }
  if (type === 'text' && typeof text !== 'string') throw refused(`${place}.text`, text, 'text')
}

function checkCalls(place: string, calls: unknown): void {
  if (calls === undefined) return
  checkList(place, calls, `a list of calls, as in [${CALL_EXAMPLE}]`)
  // The cast: it was just found to be a list, of anything.
  for (const [index, call] of (calls as unknown[]).entries()) {
    const isCall =
      isJsonObject(call) &&
      typeof call['id'] === 'string' &&
      typeof call['name'] === 'string' &&
      isJsonObject(call['arguments'])
    if (!isCall) throw refused(`${place}[${index}]`, call, `a call, as in ${CALL_EXAMPLE}`)
  }
}

function checkResults(place: string, results: unknown): void {
  if (results === undefined) return
  checkList(place, results, `a list of results, as in [${RESULT_EXAMPLE}]`)
  // The cast: it was just found to be a list, of anything.
  for (const [index, result] of (results as unknown[]).entries()) {
    if (!isJsonObject(result) || typeof result['callId'] !== 'string') {
      throw refused(`${place}[${index}]`, result, `a result, as in ${RESULT_EXAMPLE}`)
    }
    checkContent(`${place}[${index}].content`, result['content'])
  }
}
