/** Streams of the Interactions API, read: steps begin, grow and stop, each under its index. */
import type { StreamFailure } from '../../core/chat.ts'
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
import { decodeResponse } from './response.ts'
import { signatureOf } from './steps.ts'

const DIALECT = 'google-interactions'

export function createStreamDecoder(options: DecodeResponseOptions = {}): StreamDecoder {
  const { textJoiner = '\n' } = options
  return createDecoder((teller) => readEvents(teller, textJoiner), decodeResponse, options)
}

type Fields = Readonly<Record<string, JsonValue | undefined>>

/** A step as far as it has arrived. */
interface Growing {
  readonly step: JsonObject
  /** Its content, or the summary of a thought. */
  readonly parts: JsonObject[]
  /** Arguments as JSON text. */
  json: string
  call?: OpenCall
  /** What goes back with the call. */
  readonly own: JsonObject
}

function readEvents(teller: StreamTeller, textJoiner: string): StreamReader {
  const head: JsonObject = {}
  const steps = new Map<JsonValue, Growing>()
  /** The last step that has said something. */
  let speaking: Growing | undefined

  function read(data: JsonObject, event: string | undefined): void {
    const { event_type: type = event, index = 0, status } = data as Fields
    const failure = failureOf(data)
    if (failure) return teller.fail(failure)
    if (isJsonObject(data['interaction'])) readHead(data['interaction'])
    if (isAboutAll(type) && typeof status === 'string') readStatus(status)
    if (type === 'step.start') startStep(index, data['step'])
    else if (type === 'step.delta') readDelta(index, data['delta'])
    else if (type === 'step.stop') endStep(steps.get(index))
    else if (type === 'interaction.completed') teller.complete()
  }

  /** A reply that waits for results may be followed by nothing else. */
  function readStatus(status: string): void {
    head['status'] = status
    if (!GOING_ON.has(status)) teller.complete()
  }

  function readHead({ steps: told, ...fields }: JsonObject): void {
    for (const [key, value] of Object.entries(fields)) if (value !== null) head[key] = value
    teller.start(head['id'], head['model'])
    if (steps.size > 0) return
    for (const [index, step] of objectsIn(told).entries()) endStep(startStep(index, step))
  }

  function startStep(index: JsonValue, given: JsonValue | undefined): Growing | undefined {
    if (!isJsonObject(given)) return undefined
    const { content, summary, ...fields } = given
    const { type, name, id } = fields as Fields
    const started: Growing = { step: fields, parts: [], json: '', own: signatureOf(fields) }
    steps.set(index, started)
    if (type === 'function_call' && typeof name === 'string') {
      started.call = teller.call(name, id, started.own)
    }
    for (const part of objectsIn(content)) addContent(started, part)
    for (const part of objectsIn(summary)) addThought(started, part)
    return started
  }

  function readDelta(index: JsonValue, delta: JsonValue | undefined): void {
    if (!isJsonObject(delta)) return
    const { type, ...fields } = delta as Record<string, JsonValue>
    const target =
      steps.get(index) ?? startStep(index, { type: STEP_OF[String(type)] ?? 'thought' })
    if (!target) return
    switch (type) {
      case 'text':
      case 'image':
      case 'audio':
      case 'video':
      case 'document':
        return addContent(target, delta)
      case 'text_annotation':
      case 'text_annotation_delta':
        return annotate(target, fields['annotations'], delta)
      case 'thought_summary':
        return addThought(target, fields['content'])
      case 'thought_signature':
        teller.extra(DIALECT, fields)
        break
      case 'arguments_delta':
        return addArguments(target, fields)
    }
    Object.assign(target.step, fields)
  }

  /** Some replies repeat what the user said. */
  function addContent(target: Growing, part: JsonObject): void {
    addPart(target, part)
    if (target.step['type'] !== 'model_output') return
    const { type, text } = part as Fields
    if (type !== 'text') {
      teller.extra(DIALECT, { block: { type: 'model_output', content: [part] } })
      return
    }
    if (text === '') return
    if (speaking && speaking !== target) {
      // In a stream of the same dialect they stay apart: each has its own annotations.
      teller.extra(DIALECT, { isNextText: true })
      teller.text(textJoiner)
    }
    speaking = target
    teller.text(text)
  }

  /** Pieces of text are one text. */
  function addPart({ parts }: Growing, part: JsonObject): void {
    const last = parts.at(-1)
    const isText = part['type'] === 'text' && typeof part['text'] === 'string'
    if (part['type'] === 'text' && (!isText || part['text'] === '')) return
    if (isText && last?.['type'] === 'text') last['text'] = `${last['text']}${part['text']}`
    else parts.push({ ...part })
  }

  /** Where the words of a text come from. */
  function annotate(
    { step, parts }: Growing,
    annotations: JsonValue | undefined,
    delta: JsonObject,
  ): void {
    const text = parts.at(-1)
    if (!text || !Array.isArray(annotations)) return
    if (step['type'] === 'model_output') teller.extra(DIALECT, { delta })
    text['annotations'] = [...objectsIn(text['annotations']), ...annotations]
  }

  function addThought(target: Growing, part: JsonValue | undefined): void {
    if (!isJsonObject(part)) return
    addPart(target, part)
    teller.reasoning(part['text'])
  }

  function addArguments(target: Growing, { arguments: json, ...fields }: JsonObject): void {
    if (typeof json === 'string') {
      target.json += json
      target.call?.delta(json)
    }
    Object.assign(target.step, fields)
  }

  /** A call whose arguments came with its beginning has no deltas. */
  function endStep(target: Growing | undefined): void {
    if (!target) return
    const { step, call } = target
    if (!SHARED.has(step['type'])) teller.extra(DIALECT, { block: wholeStep(target) })
    const { arguments: args } = step
    const isWhole = isJsonObject(args) && Object.keys(args).length > 0
    if (call && target.json === '' && isWhole) {
      addArguments(target, { arguments: JSON.stringify(args) })
    }
    Object.assign(target.own, signatureOf(step))
    call?.end()
  }

  return {
    read,
    body: () => ({ ...head, object: 'interaction', steps: [...steps.values()].map(wholeStep) }),
  }
}

/** True for events about the interaction itself; what it waits for has an event of its own with some. */
function isAboutAll(type: JsonValue | undefined): boolean {
  return typeof type === 'string' && type.startsWith('interaction.')
}

/** What is said while more is to come. */
const GOING_ON: ReadonlySet<string> = new Set(['queued', 'in_progress'])

/** The step that a delta belongs to which comes before its step. */
const STEP_OF: Readonly<Record<string, string>> = {
  text: 'model_output',
  image: 'model_output',
  arguments_delta: 'function_call',
}

/** Steps that other dialects have as well. */
const SHARED: ReadonlySet<JsonValue | undefined> = new Set([
  ...['model_output', 'thought', 'function_call'],
])

function wholeStep({ step, parts, json, call }: Growing): JsonObject {
  if (step['type'] === 'function_call') {
    // What is no JSON is judged by whoever reads the whole reply.
    const args = json === '' ? (step['arguments'] ?? {}) : (parseObject(json) ?? json)
    return { ...step, ...(call && { id: call.id }), arguments: args }
  }
  if (parts.length === 0) return step
  return { ...step, [step['type'] === 'thought' ? 'summary' : 'content']: [...parts] }
}

/** An error after the stream has begun: the status was 200. */
function failureOf({ error, event_type: type }: JsonObject): StreamFailure | undefined {
  if (!isJsonObject(error)) return type === 'error' ? { message: UNEXPLAINED } : undefined
  const { message, code, status } = error as Fields
  const word = [status, code].find((value) => typeof value === 'string')
  return {
    message: typeof message === 'string' ? message : UNEXPLAINED,
    ...(typeof word === 'string' && { code: word }),
    ...(typeof code === 'number' && { status: code }),
  }
}

const UNEXPLAINED = 'the provider reports a failure'
