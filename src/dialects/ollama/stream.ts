/** Streams in Ollama's form, both ways: one JSON document a line, each with a piece of the message. */
import { append } from '../../core/append.ts'
import type { ChatEvent } from '../../core/chat.ts'
import type {
  DecodeResponseOptions,
  Frame,
  StreamDecoder,
  StreamEncoder,
  StreamEncoderOptions,
} from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { readListedCall } from '../../core/native/call.ts'
import { objectsIn } from '../history-call.ts'
import { createDecoder, type StreamReader, type StreamTeller } from '../stream-decoder.ts'
import { encodeCall } from './messages.ts'
import { decodeResponse, encodeEnd, timeOf } from './response.ts'

export function createStreamDecoder(options?: DecodeResponseOptions): StreamDecoder {
  return createDecoder(readLines, decodeResponse, options)
}

function readLines(teller: StreamTeller): StreamReader {
  const head: JsonObject = {}
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: JsonObject[] = []
  const images: JsonValue[] = []
  /** How likely each token was. */
  const tokens: JsonValue[] = []

  function read(line: JsonObject): void {
    if (line['error']) return teller.fail(failureOf(line))
    const { message, logprobs, ...fields } = line
    Object.assign(head, fields)
    if (Array.isArray(logprobs)) append(tokens, logprobs)
    teller.start(undefined, head['model'])
    if (isJsonObject(message)) readMessage(message)
    if (line['done'] === true) teller.close()
  }

  function readMessage({ content, thinking, tool_calls: listed, images: drawn }: JsonObject): void {
    if (Array.isArray(drawn)) {
      append(images, drawn)
      teller.extra('ollama', { images: drawn })
    }
    if (typeof thinking === 'string') {
      thoughts.push(thinking)
      teller.reasoning(thinking)
    }
    if (typeof content === 'string') {
      texts.push(content)
      teller.text(content)
    }
    for (const call of objectsIn(listed)) readCall(call)
  }

  /** A call is always whole. */
  function readCall(call: JsonObject): void {
    const { name, id, arguments: args, rawArguments } = readListedCall(call)
    if (name === undefined) {
      calls.push(call)
      return
    }
    const open = teller.call(name, id)
    open.delta(rawArguments ?? JSON.stringify(args ?? {}))
    open.end()
    calls.push({ ...call, id: open.id })
  }

  function body(): JsonObject {
    const message = {
      role: 'assistant',
      content: texts.join(''),
      ...(thoughts.length > 0 && { thinking: thoughts.join('') }),
      ...(images.length > 0 && { images }),
      ...(calls.length > 0 && { tool_calls: calls }),
    }
    return { ...head, message, ...(tokens.length > 0 && { logprobs: tokens }) }
  }

  return { read, body }
}

/** An error after the stream has begun: the status was 200. */
function failureOf({ error, status }: JsonObject): { message: string; status?: number } {
  const told: JsonValue | undefined = isJsonObject(error) ? error['message'] : error
  return {
    message: typeof told === 'string' ? told : 'the server reports a failure',
    ...(typeof status === 'number' && { status }),
  }
}

export function createStreamEncoder({ created = 0 }: StreamEncoderOptions = {}): StreamEncoder {
  let model = ''

  function line(message: JsonObject, fields: JsonObject = { done: false }): Frame[] {
    const whole = { role: 'assistant', content: '', ...message }
    const data = { model, created_at: timeOf(created), message: whole, ...fields }
    return [{ data: JSON.stringify(data) }]
  }

  function push(event: ChatEvent): Frame[] {
    switch (event.type) {
      case 'start':
        model = event.model ?? ''
        return []
      case 'text-delta':
        return line({ content: event.text })
      case 'reasoning-delta':
        return line({ thinking: event.text })
      case 'call-end':
        return line({ tool_calls: [encodeCall(event.call, event.index)] })
      case 'extra': {
        const images = event.extra['ollama']?.['images']
        return images === undefined ? [] : line({ images })
      }
      case 'finish': {
        model ||= event.response.model ?? ''
        const { created_at: _, ...own } = event.response.extra?.['ollama'] ?? {}
        return line({}, { ...encodeEnd(event.response), ...own })
      }
      case 'error': {
        const { message, status } = event.error
        const data = { error: message, ...(status !== undefined && { status }) }
        return [{ data: JSON.stringify(data) }]
      }
      default:
        return []
    }
  }

  return { push }
}
