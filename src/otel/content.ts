/** Messages in the form that the conventions give them, as JSON: attributes are flat. */
import type { FinishReason, Message, Part, Tool, ToolCall, ToolResult } from '../core/model.ts'

type Fields = Readonly<Record<string, unknown>>

export function inputMessages(messages: readonly Message[]): string {
  return JSON.stringify(messages.filter(({ role }) => role !== 'system').map(asMessage))
}

/** Undefined when there are none. */
export function systemInstructions(messages: readonly Message[]): string | undefined {
  const parts = messages.filter(({ role }) => role === 'system').flatMap(contentParts)
  return parts.length === 0 ? undefined : JSON.stringify(parts)
}

export function outputMessages(message: Message, reason: FinishReason): string {
  return JSON.stringify([{ ...asMessage(message), finish_reason: finishWord(reason) }])
}

export function toolDefinitions(tools: readonly Tool[]): string {
  const shown = tools.map(({ name, description, inputSchema }) => {
    return { type: 'function', name, description, parameters: inputSchema }
  })
  return JSON.stringify(shown)
}

/** The conventions have words of their own. */
export function finishWord(reason: FinishReason): string {
  if (reason === 'tool-calls') return 'tool_call'
  return reason === 'content-filter' ? 'content_filter' : reason
}

function asMessage(message: Message): Fields {
  const { role, reasoning, toolCalls = [], toolResults = [] } = message
  return {
    role,
    parts: [
      ...(reasoning ? [{ type: 'reasoning', content: reasoning }] : []),
      ...contentParts(message),
      ...toolCalls.map(callPart),
      ...toolResults.map(resultPart),
    ],
  }
}

function contentParts({ content }: Pick<Message, 'content'>): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }]
  return content.map(contentPart)
}

function contentPart(part: Part): Fields {
  if (part.type === 'text') return { type: 'text', content: part.text }
  const { mediaType: mime_type, data, url } = part
  const modality = part.type
  if (url !== undefined) return { type: 'uri', mime_type, modality, uri: url }
  return { type: 'blob', mime_type, modality, content: data }
}

function callPart({ id, name, arguments: args }: ToolCall): Fields {
  return { type: 'tool_call', id, name, arguments: args }
}

function resultPart({ callId, content }: ToolResult): Fields {
  const response = typeof content === 'string' ? content : content.map(contentPart)
  return { type: 'tool_call_response', id: callId, response }
}
