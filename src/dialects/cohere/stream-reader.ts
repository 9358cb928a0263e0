/** Streams in Cohere's form, read: events by name, each with a piece of the message in `delta`. */
import type { StreamFailure } from '../../core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'
import type { OpenCall, StreamReader, StreamTeller } from '../stream-decoder.ts'

interface GrowingCall {
  readonly id: string
  readonly name: string
  readonly pieces: string[]
  readonly open: OpenCall
}

export function readEvents(teller: StreamTeller): StreamReader {
  const head: JsonObject = {}
  const plan: string[] = []
  const blocks = new Map<JsonValue, { readonly fields: JsonObject; readonly pieces: string[] }>()
  const calls = new Map<JsonValue, GrowingCall>()
  const citations: JsonObject[] = []
  /** How likely each token was. */
  const tokens: JsonObject[] = []
  let isPlan = false

  const readers: Readonly<Record<string, (message: JsonObject, index: JsonValue) => void>> = {
    'tool-plan-delta': ({ tool_plan: piece }) => {
      if (typeof piece === 'string') plan.push(piece)
      tellPlan(true)
      teller.text(piece)
    },
    'content-start': ({ content }, index) => {
      tellPlan(false)
      readBlock(content, index)
    },
    'content-delta': ({ content }, index) => readBlock(content, index),
    'tool-call-start': ({ tool_calls: call }, index) => openCall(call, index),
    'tool-call-delta': ({ tool_calls: call }, index) => grow(calls.get(index), call),
    'tool-call-end': (_, index) => calls.get(index)?.open.end(),
    'citation-start': ({ citations: given }) => {
      for (const citation of isJsonObject(given) ? [given] : objectsIn(given)) {
        citations.push(citation)
        teller.extra('cohere', { citation })
      }
    },
  }

  /** Whether the text that follows is a plan, for who writes it in this form again. */
  function tellPlan(is: boolean): void {
    if (is !== isPlan) teller.extra('cohere', { isPlan: is })
    isPlan = is
  }

  function read(data: JsonObject, event: string | undefined): void {
    const { type = event, index = 0, delta, id } = data as Record<string, JsonValue | undefined>
    const failure = failureOf(data, delta)
    if (failure) return teller.fail(failure)
    if (type === 'message-start') {
      if (id !== undefined) head['id'] = id
      teller.start(id)
    }
    if (isJsonObject(data['logprobs'])) tokens.push(data['logprobs'])
    if (type === 'message-end') return readEnd(delta)
    const message = isJsonObject(delta) && isJsonObject(delta['message']) ? delta['message'] : {}
    readers[String(type)]?.(message, index ?? 0)
  }

  function readBlock(content: JsonValue | undefined, index: JsonValue): void {
    if (!isJsonObject(content)) return
    const { text, thinking, ...fields } = content
    const block = blocks.get(index) ?? { fields: {}, pieces: [] }
    blocks.set(index, block)
    Object.assign(block.fields, fields)
    if (typeof thinking === 'string') {
      block.fields['type'] = 'thinking'
      block.pieces.push(thinking)
      teller.reasoning(thinking)
    } else if (typeof text === 'string') {
      block.pieces.push(text)
      teller.text(text)
    }
  }

  function openCall(call: JsonValue | undefined, index: JsonValue): void {
    if (!isJsonObject(call) || !isJsonObject(call['function'])) return
    const { name } = call['function']
    if (typeof name !== 'string') return
    const open = teller.call(name, call['id'])
    calls.set(index, { id: open.id, name, pieces: [], open })
    grow(calls.get(index), call)
  }

  function grow(call: GrowingCall | undefined, delta: JsonValue | undefined): void {
    const part = isJsonObject(delta) ? delta['function'] : undefined
    const json = isJsonObject(part) ? part['arguments'] : undefined
    if (typeof json !== 'string') return
    call?.pieces.push(json)
    call?.open.delta(json)
  }

  function readEnd(delta: JsonValue | undefined): void {
    if (isJsonObject(delta)) {
      const { finish_reason: reason, usage } = delta as Record<string, JsonValue | undefined>
      if (reason !== undefined) head['finish_reason'] = reason
      if (usage !== undefined) head['usage'] = usage
    }
    teller.complete()
  }

  function body(): JsonObject {
    const content = [...blocks.values()].map(({ fields, pieces }) => {
      const key = fields['type'] === 'thinking' ? 'thinking' : 'text'
      return { type: key, ...fields, [key]: pieces.join('') }
    })
    const toolCalls = [...calls.values()].map(({ id, name, pieces }) => {
      return { id, type: 'function', function: { name, arguments: pieces.join('') } }
    })
    const message = {
      role: 'assistant',
      ...(content.length > 0 && { content }),
      ...(plan.length > 0 && { tool_plan: plan.join('') }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
      ...(citations.length > 0 && { citations }),
    }
    return { ...head, message, ...(tokens.length > 0 && { logprobs: tokens }) }
  }

  return { read, body }
}

/** A generation that failed says so at its end; other errors are a lone message. */
function failureOf(data: JsonObject, delta: JsonValue | undefined): StreamFailure | undefined {
  const { type, message, code } = data as Record<string, JsonValue | undefined>
  if (isJsonObject(delta) && typeof delta['error'] === 'string') {
    return { message: delta['error'], code: String(delta['finish_reason'] ?? 'ERROR') }
  }
  if (typeof message !== 'string' || isJsonObject(delta)) return undefined
  const word = [code, type].find((value) => typeof value === 'string')
  return { message, ...(typeof word === 'string' && { code: word }) }
}
