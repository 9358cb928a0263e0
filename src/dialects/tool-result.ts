/** Tool results as callers write them, and the marks of failure that travel in their text. */
import { refused } from '../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Part, ToolResult } from '../core/model.ts'

/** A result by our field names, or by those of the wire, which callers often have at hand. */
export interface ToolResultInput {
  readonly id?: string
  readonly callId?: string
  readonly tool_call_id?: string
  readonly tool_use_id?: string
  readonly name?: string
  readonly tool_name?: string
  /** Text or parts; anything else is sent as JSON. */
  readonly content: unknown
  readonly isError?: boolean
  readonly is_error?: boolean
  readonly errorCode?: string
  readonly error_code?: string
}

const EXAMPLE = "{ id: 'call_1', name: 'get_weather', content: '12 °C' }"

/** The last two are in results as they are on the wire, and say nothing about a result. */
const KEYS: OptionKeys<ToolResultInput & { readonly role: unknown; readonly type: unknown }> = {
  id: 0,
  callId: 0,
  tool_call_id: 0,
  tool_use_id: 0,
  name: 0,
  tool_name: 0,
  content: 0,
  isError: 0,
  is_error: 0,
  errorCode: 0,
  error_code: 0,
  role: 0,
  type: 0,
}

/**
 * Brings a result into the neutral model.
 *
 * @throws InvalidInputError for what is no object, an unknown field, and a result of no call.
 */
export function readToolResult(input: ToolResultInput): ToolResult {
  if (!isJsonObject(input)) throw refused('a tool result', input, EXAMPLE)
  checkKeys('a tool result', input, KEYS, EXAMPLE)
  const name = input.name ?? input.tool_name
  const callId = input.callId ?? input.id ?? input.tool_call_id ?? input.tool_use_id
  if (callId === undefined && name === undefined) {
    throw new InvalidInputError(`a tool result answers a call; write ${EXAMPLE}`)
  }
  const errorCode = input.errorCode ?? input.error_code
  const isError = input.isError ?? input.is_error ?? false
  return {
    callId: callId ?? '',
    ...(name !== undefined && { name }),
    content: readContent(input.content),
    // A code without an error is left over from somewhere and would tell the model it failed.
    ...(isError && { isError: true, ...(errorCode && { errorCode }) }),
  }
}

/** The content as one text, for dialects whose results hold nothing else. */
export function resultText({ content }: Pick<ToolResult, 'content'>): string {
  if (typeof content === 'string') return content
  return content.map(partText).join('\n')
}

/** The same where parts of these types follow all results of the turn, in a message of the user. */
export function followedText(
  { content }: Pick<ToolResult, 'content'>,
  following: readonly Part['type'][],
): string {
  if (typeof content === 'string') return content
  const text = (part: Part): string =>
    following.includes(part.type) ? followingText(part) : partText(part)
  return content.map(text).join('\n')
}

function followingText(part: Part): string {
  return part.type === 'text' ? part.text : `[${part.type} follows in the next message of the user]`
}

function partText(part: Part): string {
  return part.type === 'text' ? part.text : `[${part.type} left out]`
}

function readContent(content: unknown): ToolResult['content'] {
  if (typeof content === 'string') return content
  if (content === null || content === undefined) return ''
  // isPart has looked at every member; `every` does not narrow through a union.
  if (Array.isArray(content) && content.every(isPart)) return content as Part[]
  return JSON.stringify(content) ?? ''
}

function isPart(value: unknown): value is Part & JsonObject {
  if (!isJsonObject(value)) return false
  if (value['type'] === 'text') return typeof value['text'] === 'string'
  return value['type'] === 'image' || value['type'] === 'file'
}
