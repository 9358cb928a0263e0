/** Streams in Anthropic's form, read. */
import type { DecodeResponseOptions, StreamDecoder } from '../../core/dialect.ts'
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'
import {
  createDecoder,
  type OpenCall,
  type StreamReader,
  type StreamTeller,
} from '../stream-decoder.ts'
import { callFields } from './assistant.ts'
import { decodeResponse } from './response.ts'
import { failureOf } from './stream-failure.ts'

export function createStreamDecoder(options: DecodeResponseOptions = {}): StreamDecoder {
  const { textJoiner = '\n' } = options
  return createDecoder((teller) => readEvents(teller, textJoiner), decodeResponse, options)
}

/** A block as far as it has arrived. */
interface Growing {
  readonly index: JsonValue | undefined
  readonly block: JsonObject
  /** Its input as JSON text. */
  input: string
  call?: OpenCall
}

type Fields = Readonly<Record<string, JsonValue | undefined>>

const SPLICED = {
  message: 'another reply began before this one was complete',
  code: 'spliced-stream',
}

function readEvents(teller: StreamTeller, textJoiner: string): StreamReader {
  const head: JsonObject = {}
  const usage: JsonObject = {}
  const blocks: Growing[] = []
  /** The last block of text that is not empty. */
  let textBlock: Growing | undefined
  /** The last one of which anything came. */
  let lastText: Growing | undefined
  let isStarted = false
  let isOver = false

  function read(data: JsonObject, event: string | undefined): void {
    const { type = event, error } = data as Fields
    if (type === 'error' || isJsonObject(error)) return teller.fail(failureOf(data))
    if (isOver) return
    if (type === 'message_start') startMessage(data['message'])
    else if (type === 'content_block_start') startBlock(data['index'], data['content_block'])
    else if (type === 'content_block_delta') readDelta(data['index'], data['delta'])
    else if (type === 'content_block_stop') endBlock(growing(data['index']))
    else if (type === 'message_delta') readEnd(data)
    else if (type === 'message_stop') {
      isOver = true
      teller.close()
    }
  }

  function startMessage(message: JsonValue | undefined): void {
    if (!isJsonObject(message)) return
    // Proxies repeat the first event; another reply in the middle of this one is a fault of theirs.
    if (isStarted) return message['id'] === head['id'] ? undefined : teller.fail(SPLICED)
    isStarted = true
    const { content, usage: counts, ...fields } = message as Record<string, JsonValue>
    Object.assign(head, fields)
    count(counts)
    teller.start(head['id'], head['model'])
    // Programs that run on the provider's side may have made calls that are complete.
    for (const block of objectsIn(content)) endBlock(startBlock(undefined, block))
  }

  function startBlock(
    index: JsonValue | undefined,
    block: JsonValue | undefined,
  ): Growing | undefined {
    if (!isJsonObject(block)) return undefined
    const { type, name, id, text, thinking } = block as Fields
    const isCall = type === 'tool_use'
    if (isCall && blocks.some((known) => known.index === undefined && known.block['id'] === id)) {
      return undefined
    }
    const started: Growing = { index, block: { ...block }, input: '' }
    blocks.push(started)
    if (isCall && typeof name === 'string') started.call = teller.call(name, id, callFields(block))
    if (type === 'text') tellText(started, text)
    if (type === 'thinking') teller.reasoning(thinking)
    return started
  }

  function growing(index: JsonValue | undefined): Growing | undefined {
    return index === undefined ? blocks.at(-1) : blocks.findLast((known) => known.index === index)
  }

  function readDelta(index: JsonValue | undefined, delta: JsonValue | undefined): void {
    if (!isJsonObject(delta)) return
    const { type, ...fields } = delta as Record<string, JsonValue>
    const target = growing(index) ?? startBlock(index, { type: BLOCK_OF[String(type)] ?? 'text' })
    if (!target) return
    if (type === 'text_delta') tellText(target, fields['text'])
    if (type === 'thinking_delta') teller.reasoning(fields['thinking'])
    if (type === 'signature_delta') teller.extra('anthropic', fields)
    if (type === 'input_json_delta') return readInput(target, fields['partial_json'])
    if (type === 'citations_delta') return cite(target, delta)
    for (const [key, value] of Object.entries(fields)) grow(target.block, key, value)
  }

  /** In a stream of the same dialect, texts that stand apart stay so: each has its own citations. */
  function beginText(target: Growing): void {
    if (lastText && lastText !== target) teller.extra('anthropic', { isNextText: true })
    lastText = target
  }

  function cite(target: Growing, delta: JsonObject): void {
    beginText(target)
    teller.extra('anthropic', { delta })
    addCitation(target.block, delta['citation'])
  }

  function tellText(target: Growing, text: JsonValue | undefined): void {
    if (typeof text !== 'string' || text === '') return
    beginText(target)
    if (textBlock && textBlock !== target) teller.text(textJoiner)
    textBlock = target
    teller.text(text)
  }

  function readInput(target: Growing, json: JsonValue | undefined): void {
    if (typeof json !== 'string') return
    target.input += json
    target.call?.delta(json)
  }

  /** A call whose input came with its beginning has no deltas. */
  function endBlock(target: Growing | undefined): void {
    if (target && !SHARED.has(String(target.block['type']))) {
      teller.extra('anthropic', { block: wholeBlock(target) })
    }
    if (!target?.call) return
    const { input } = target.block as Fields
    const isWhole = isJsonObject(input) && Object.keys(input).length > 0
    if (target.input === '' && isWhole) readInput(target, JSON.stringify(input))
    target.call.end()
  }

  /** Counts come again as they grow: the last ones are the sum. */
  function count(counts: JsonValue | undefined): void {
    if (!isJsonObject(counts)) return
    for (const [key, value] of Object.entries(counts)) {
      if (value !== null || !(key in usage)) usage[key] = value
    }
  }

  function readEnd({ delta, usage: counts, type: _, ...fields }: Record<string, JsonValue>): void {
    count(counts)
    Object.assign(head, fields, isJsonObject(delta) ? delta : {})
    if (typeof head['stop_reason'] === 'string') teller.complete()
  }

  function body(): JsonObject {
    return { ...head, type: 'message', content: blocks.map(wholeBlock), usage }
  }

  return { read, body }
}

/** Blocks that are told in the words of every dialect. */
const SHARED: ReadonlySet<string> = new Set(['text', 'thinking', 'tool_use'])

/** What a block is when its beginning never came. */
const BLOCK_OF: Readonly<Record<string, string>> = {
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'tool_use',
}

function addCitation(block: JsonObject, citation: JsonValue | undefined): void {
  const { citations } = block as Fields
  if (citation === undefined) return
  if (Array.isArray(citations)) citations.push(citation)
  else block['citations'] = [citation]
}

function grow(block: JsonObject, key: string, value: JsonValue): void {
  const before = block[key]
  block[key] = typeof before === 'string' && typeof value === 'string' ? before + value : value
}

/** The text of a call's input is kept, also when it is no JSON; others go back as they were. */
function wholeBlock({ block, input, call }: Growing): JsonObject {
  if (call) return { ...block, id: call.id, ...(input !== '' && { input }) }
  return input === '' ? block : { ...block, input: parseObject(input) ?? {} }
}
