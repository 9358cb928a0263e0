/** A whole reply as the events in which it would have arrived. */
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import type { ToolCall } from '../core/model.ts'

/** `pieceLength`: characters of text or arguments in each event; by default all in one. */
export function replyEvents(reply: ChatResponse, pieceLength?: number): ChatEvent[] {
  const { id, model, message } = reply
  const { content, reasoning = '', toolCalls = [] } = message
  const texts = typeof content === 'string' ? [content] : content.map(partText)
  return [
    { type: 'start', ...(id && { id }), ...(model && { model }) },
    ...deltas('reasoning-delta', reasoning, pieceLength),
    ...texts.flatMap((text) => deltas('text-delta', text, pieceLength)),
    ...toolCalls.flatMap((call, index) => callEvents(call, index, pieceLength)),
    { type: 'finish', response: reply },
  ]
}

export function callEvents(call: ToolCall, index: number, pieceLength?: number): ChatEvent[] {
  const pieces = piecesOf(JSON.stringify(call.arguments), pieceLength)
  return [
    startOf(call, index),
    ...pieces.map((argumentsDelta) => ({ type: 'call-delta', index, argumentsDelta }) as const),
    { type: 'call-end', index, call },
  ]
}

function startOf({ id, name, provider }: ToolCall, index: number): ChatEvent {
  return { type: 'call-start', index, id, name, ...(provider && { provider }) }
}

function deltas(
  type: 'text-delta' | 'reasoning-delta',
  text: string,
  pieceLength: number | undefined,
): ChatEvent[] {
  return piecesOf(text, pieceLength).map((piece) => ({ type, text: piece }))
}

function piecesOf(text: string, length: number = Number.POSITIVE_INFINITY): string[] {
  if (text.length <= length) return text === '' ? [] : [text]
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length))
  return pieces
}

function partText(part: { readonly type: string; readonly text?: string }): string {
  return part.text ?? ''
}
