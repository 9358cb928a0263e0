/** Streams in Cohere's form, written. */
import type { ChatEvent, ChatResponse } from '../../core/chat.ts'
import type { Frame, StreamEncoder } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { encodeEnd } from './response.ts'

export function createStreamEncoder(): StreamEncoder {
  /** Blocks of content and calls are counted each on their own. */
  let blocks = 0
  let open: 'text' | 'thinking' | undefined
  let citations = 0
  let isPlan = false

  /** What is said before a call goes as content: that it was a plan is known too late, unless it came as one. */
  function say(kind: 'text' | 'thinking', piece: string): Frame[] {
    if (isPlan && kind === 'text') {
      const delta = { message: { tool_plan: piece } }
      return [...endBlock(), written({ type: 'tool-plan-delta', delta })]
    }
    const frames = open === kind ? [] : [...endBlock(), ...beginBlock(kind)]
    return [...frames, frame('content-delta', blocks, { content: { [kind]: piece } })]
  }

  function tellOwn({ citation, isPlan: is }: Partial<JsonObject> = {}): Frame[] {
    if (is !== undefined) isPlan = is === true
    if (citation === undefined) return []
    const at = citations++
    return [frame('citation-start', at, { citations: citation }), frame('citation-end', at)]
  }

  function beginBlock(kind: 'text' | 'thinking'): Frame[] {
    open = kind
    return [frame('content-start', blocks, { content: { type: kind, [kind]: '' } })]
  }

  function endBlock(): Frame[] {
    if (!open) return []
    open = undefined
    return [frame('content-end', blocks++)]
  }

  function finish(response: ChatResponse): Frame[] {
    const delta = encodeEnd(response)
    return [...endBlock(), written({ type: 'message-end', delta }), { data: '[DONE]' }]
  }

  function push(event: ChatEvent): Frame[] {
    switch (event.type) {
      case 'start':
        return [begin(event.id)]
      case 'text-delta':
        return say('text', event.text)
      case 'reasoning-delta':
        return say('thinking', event.text)
      case 'call-start': {
        const { index, id, name } = event
        const call = { id, type: 'function', function: { name, arguments: '' } }
        return [...endBlock(), frame('tool-call-start', index, { tool_calls: call })]
      }
      case 'call-delta': {
        const call = { function: { arguments: event.argumentsDelta } }
        return [frame('tool-call-delta', event.index, { tool_calls: call })]
      }
      case 'call-end':
      case 'call-abort':
        return [frame('tool-call-end', event.index)]
      case 'extra':
        return tellOwn(event.extra['cohere'])
      case 'finish':
        return finish(event.response)
      case 'error': {
        const delta = { finish_reason: 'ERROR', error: event.error.message }
        return [written({ type: 'message-end', delta })]
      }
      default:
        return []
    }
  }

  return { push }
}

function begin(id = ''): Frame {
  const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
  return written({ id, type: 'message-start', delta: { message } })
}

function frame(type: string, index: number, message?: JsonObject): Frame {
  return written({ type, index, ...(message && { delta: { message } }) })
}

function written(data: JsonObject & { readonly type: string }): Frame {
  return { event: data.type, data: JSON.stringify(data) }
}
