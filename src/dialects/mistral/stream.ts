/** Streams in Mistral's form, both ways: OpenAI's chunks, with thoughts in the content and calls in one piece. */
import type { ChatEvent, ChatResponse } from '../../core/chat.ts'
import type {
  DecodeResponseOptions,
  Frame,
  StreamDecoder,
  StreamEncoder,
  StreamEncoderOptions,
} from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { readChunks } from '../openai-chat/stream-reader.ts'
import { encodeUsage } from '../openai-chat/usage.ts'
import { stopWord } from '../stop-word.ts'
import { createDecoder } from '../stream-decoder.ts'
import { thinkingChunk } from './content.ts'
import { encodeCall } from './messages.ts'
import { decodeResponse, STOP_WORDS } from './response.ts'

export function createStreamDecoder(options?: DecodeResponseOptions): StreamDecoder {
  return createDecoder((teller) => readChunks(teller, 'mistral'), decodeResponse, options)
}

export function createStreamEncoder({ created = 0 }: StreamEncoderOptions = {}): StreamEncoder {
  let head: JsonObject = { id: '', object: 'chat.completion.chunk', created, model: '' }

  function chunk(delta: JsonObject, finish: string | null = null, fields?: JsonObject): Frame {
    const choice = { index: 0, delta, finish_reason: finish }
    return { data: JSON.stringify({ ...head, choices: [choice], ...fields }) }
  }

  /** The last chunk has the usage as well; clients need not ask for it. */
  function finish(response: ChatResponse): Frame[] {
    const word = stopWord(response, STOP_WORDS)
    const usage = encodeUsage(response.usage, response.extra?.['mistral']?.['usage'])
    return [chunk({ content: '' }, word, usage), { data: '[DONE]' }]
  }

  function push(event: ChatEvent): Frame[] {
    switch (event.type) {
      case 'start':
        head = { ...head, id: event.id ?? '', model: event.model ?? '' }
        return [chunk({ role: 'assistant', content: '' })]
      case 'text-delta':
        return [chunk({ content: event.text })]
      case 'reasoning-delta':
        return [chunk({ content: [thinkingChunk(event.text)] })]
      case 'call-end':
        return [chunk({ tool_calls: [{ ...encodeCall(event.call), index: event.index }] })]
      case 'extra': {
        const part = event.extra['mistral']?.['part']
        return part === undefined ? [] : [chunk({ content: [part] })]
      }
      case 'finish':
        return finish(event.response)
      case 'error': {
        const { message, code = null } = event.error
        return [{ data: JSON.stringify({ object: 'error', message, code, type: 'error' }) }]
      }
      default:
        return []
    }
  }

  return { push }
}
