/** Small rules about messages that hold whatever the dialect. */
import { isJsonObject, type JsonObject } from './json/value.ts'
import type { Message } from './model.ts'

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool'])

/**
 * True when a message can be sent: its role is known, it says something, and it answers a call
 * exactly when it is a tool message. Reads our own field names and the ones of the wire.
 */
export function isValidMessage(message: unknown): boolean {
  if (!isJsonObject(message) || !ROLES.has(message['role'])) return false
  const { role } = message
  if (answersCall(message) !== (role === 'tool')) return false
  if (role === 'tool') return true
  if (role === 'assistant' && hasItems(message['toolCalls'] ?? message['tool_calls'])) return true
  return hasItems(message['content']) || hasItems(message['images'])
}

/** The text of a message, without its images and files. */
export function textOf({ content }: Pick<Message, 'content'>): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/**
 * Arguments as the JSON text that most dialects want. A text is passed on as it is; whatever
 * stands for "no arguments" becomes `{}`.
 */
export function argumentsJson(args: unknown): string {
  if (typeof args === 'string') return isNothing(args) ? '{}' : args
  return args === null || args === undefined ? '{}' : (stringify(args) ?? '{}')
}

// Cohere writes a call without arguments as `null`.
function isNothing(text: string): boolean {
  const trimmed = text.trim()
  return trimmed === '' || trimmed === 'null'
}

// Values from outside may hold what JSON cannot: cycles, big integers, endless depth.
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function answersCall(message: JsonObject): boolean {
  const { toolResults, tool_call_id: id } = message as Record<string, unknown>
  return hasItems(toolResults) || hasItems(id)
}

function hasItems(value: unknown): boolean {
  return (typeof value === 'string' || Array.isArray(value)) && value.length > 0
}
