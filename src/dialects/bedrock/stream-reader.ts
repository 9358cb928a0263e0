/** Streams in the form of Converse, read. */
import { append } from '../../core/append.ts'
import type { DecodeResponseOptions, StreamDecoder } from '../../core/dialect.ts'
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import {
  createDecoder,
  type OpenCall,
  type StreamReader,
  type StreamTeller,
} from '../stream-decoder.ts'
import { decodeResponse } from './response.ts'
import { failureOf } from './stream-failure.ts'

export function createStreamDecoder(options: DecodeResponseOptions = {}): StreamDecoder {
  const { textJoiner = '\n' } = options
  return createDecoder((teller) => readEvents(teller, textJoiner), decodeResponse, options)
}

/** A block as far as it has arrived. Text has no beginning that would say what it is. */
interface Growing {
  readonly index: JsonValue | undefined
  text: string
  reasoning: JsonObject | undefined
  toolUse: JsonObject | undefined
  /** The input of the call as JSON text. */
  input: string
  call: OpenCall | undefined
  /** What else came, as it came. */
  readonly others: JsonObject
}

type Fields = Readonly<Record<string, JsonValue | undefined>>

/** The pieces of a delta that are understood. */
const READ: ReadonlySet<string> = new Set(['text', 'toolUse', 'reasoningContent'])

function readEvents(teller: StreamTeller, textJoiner: string): StreamReader {
  const blocks: Growing[] = []
  const tail: JsonObject = {}
  let textBlock: Growing | undefined

  function read(frame: JsonObject, named: string | undefined): void {
    if (named !== undefined) return readEvent(named, frame)
    const [event, data] = unwrapped(frame)
    readEvent(event, data)
  }

  function readEvent(event: string, data: JsonObject): void {
    const { contentBlockIndex: index } = data as Fields
    // Of nearly all frames the name tells that they are no failure.
    const failure = event.startsWith('contentBlock') ? undefined : failureOf(event, data)
    if (failure) return teller.fail(failure)
    teller.start()
    if (event === 'contentBlockDelta') readDelta(index, data['delta'])
    else if (event === 'contentBlockStart') startBlock(index, data['start'])
    else if (event === 'contentBlockStop') endBlock(blockAt(index))
    else if (event === 'messageStop') readEnd(data)
    else if (event === 'metadata') addFields(tail, data)
  }

  function blockAt(index: JsonValue | undefined): Growing {
    const last = blocks.at(-1)
    if (last && (index === undefined || last.index === index)) return last
    const found = blocks.find((one) => one.index === index)
    if (found) return found
    const block: Growing = {
      ...{ index, text: '', input: '', others: {} },
      ...{ reasoning: undefined, toolUse: undefined, call: undefined },
    }
    blocks.push(block)
    return block
  }

  function startBlock(index: JsonValue | undefined, start: JsonValue | undefined): void {
    const block = blockAt(index)
    if (!isJsonObject(start)) return
    const { toolUse, ...others } = start as Record<string, JsonValue>
    Object.assign(block.others, others)
    if (!isJsonObject(toolUse) || block.toolUse) return
    block.toolUse = toolUse
    const { name, toolUseId, type } = toolUse as Fields
    // Tools that run on the service's side are not for us to answer.
    if (typeof name === 'string' && type === undefined) block.call = teller.call(name, toolUseId)
  }

  function readDelta(index: JsonValue | undefined, delta: JsonValue | undefined): void {
    if (!isJsonObject(delta)) return
    const block = blockAt(index)
    const { text, toolUse, reasoningContent } = delta as Fields
    if (typeof text === 'string') readText(block, text)
    if (isJsonObject(toolUse)) readInput(block, toolUse['input'])
    if (isJsonObject(reasoningContent)) readReasoning(block, reasoningContent)
    for (const key in delta) {
      const value = delta[key]
      if (READ.has(key) || value === undefined) continue
      collect(block.others, key, value)
      if (key === 'citation') teller.extra('bedrock', { delta: { citation: value } })
    }
  }

  function readText(block: Growing, text: string): void {
    block.text += text
    if (text === '') return
    if (textBlock && textBlock !== block) {
      // In a stream of the same dialect they stay apart: each has its own citations.
      teller.extra('bedrock', { isNextText: true })
      teller.text(textJoiner)
    }
    textBlock = block
    teller.text(text)
  }

  function readInput(block: Growing, input: JsonValue | undefined): void {
    if (typeof input !== 'string') return
    block.toolUse ??= {}
    block.input += input
    block.call?.delta(input)
  }

  function readReasoning(block: Growing, { text, signature, redactedContent: data }: Fields): void {
    block.reasoning ??= {}
    grow(block.reasoning, 'text', text)
    grow(block.reasoning, 'signature', signature)
    grow(block.reasoning, 'redactedContent', data)
    teller.reasoning(text)
    if (typeof signature === 'string') teller.extra('bedrock', { signature })
    if (typeof data === 'string') {
      teller.extra('bedrock', { block: { reasoningContent: { redactedContent: data } } })
    }
  }

  function endBlock(block: Growing): void {
    block.call?.end()
    if (!isOwn(block)) return
    for (const whole of wholeBlock(block)) teller.extra('bedrock', { block: whole })
  }

  function readEnd(data: JsonObject): void {
    addFields(tail, data)
    teller.complete()
  }

  function body(): JsonObject {
    const content = blocks.flatMap(wholeBlock)
    return { output: { message: { role: 'assistant', content } }, ...tail }
  }

  return { read, body }
}

/** Some transports hand on the name of the event as the only key. */
function unwrapped(frame: JsonObject): readonly [string, JsonObject] {
  const [entry] = Object.entries(frame)
  return entry && isJsonObject(entry[1]) ? [entry[0], entry[1]] : ['', {}]
}

/** `p` is padding that hides how long a frame is. */
function addFields(target: JsonObject, { p: _, ...fields }: Record<string, JsonValue>): void {
  Object.assign(target, fields)
}

function grow(target: JsonObject, key: string, value: JsonValue | undefined): void {
  if (typeof value !== 'string') return
  const before = target[key]
  target[key] = typeof before === 'string' ? before + value : value
}

/**
 * Citations come one by one; results of the service's own tools in lists, and pictures in pieces, behind a
 * beginning that tells whose they are.
 */
function collect(target: JsonObject, key: string, value: JsonValue): void {
  const name = key === 'citation' ? 'citations' : key
  const before = target[name]
  const list = Array.isArray(value) ? value : [value]
  if (Array.isArray(before)) append(before, list)
  else if (!isJsonObject(before)) target[name] = isJsonObject(value) && name === key ? value : list
  else if (isJsonObject(value)) Object.assign(before, value)
  else collect(before, 'content', list)
}

/** Blocks that no other dialect has: tools that the service runs, what they found, pictures. */
function isOwn({ toolUse, call, others }: Growing): boolean {
  return toolUse ? call === undefined : 'toolResult' in others || 'image' in others
}

function wholeBlock({ text, input, reasoning, toolUse, call, others }: Growing): JsonObject[] {
  if (toolUse) {
    const { input: first = {}, ...rest } = toolUse as Record<string, JsonValue>
    const whole = input === '' ? first : call ? input : (parseObject(input) ?? {})
    return [{ toolUse: { ...rest, ...(call && { toolUseId: call.id }), input: whole } }]
  }
  if (reasoning) return [{ reasoningContent: wholeReasoning(reasoning) }]
  const { citations, ...rest } = others as Record<string, JsonValue>
  if (citations !== undefined) {
    return [{ citationsContent: { content: [{ text }], citations }, ...rest }]
  }
  const isEmpty = text === '' && Object.keys(others).length === 0
  return isEmpty ? [] : [{ ...(text !== '' && { text }), ...others }]
}

function wholeReasoning({
  redactedContent,
  ...reasoningText
}: Record<string, JsonValue>): JsonObject {
  return redactedContent === undefined ? { reasoningText } : { redactedContent }
}
