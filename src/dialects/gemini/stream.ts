/** Streams in Gemini's form: each frame is a piece of the reply in the form of a whole one. */
import type { ChatEvent, ChatResponse, StreamFailure } from '../../core/chat.ts'
import type {
  DecodeResponseOptions,
  Frame,
  StreamDecoder,
  StreamEncoder,
  StreamEncoderOptions,
} from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import {
  createDecoder,
  type OpenCall,
  type StreamReader,
  type StreamTeller,
} from '../stream-decoder.ts'
import { camelKeys, candidateOf, objectAt, partsOf } from './candidate.ts'
import { createPartialArguments, type PartialArguments } from './partial-arguments.ts'
import { encodeCall } from './parts.ts'
import {
  decodeResponse,
  encodeHead,
  encodeUsage,
  finishWord,
  isRefused,
  lastSignature,
} from './response.ts'

export function createStreamDecoder(options?: DecodeResponseOptions): StreamDecoder {
  const ids: string[] = []
  return createDecoder(
    (teller) => readChunks(teller, ids),
    (body, given) => decodeResponse(body, given, ids),
    options,
  )
}

/** A call whose arguments are still arriving. */
interface Growing {
  readonly part: JsonObject
  readonly open: OpenCall
  readonly arguments: PartialArguments
  /** The arguments as JSON text, as far as they were told. */
  text: string
  /** True when more was announced. */
  isUnfinished: boolean
}

function readChunks(teller: StreamTeller, ids: string[]): StreamReader {
  const rest: JsonObject = {}
  const about: JsonObject = {}
  const parts: JsonObject[] = []
  let hasCandidate = false
  let growing: Growing | undefined
  let isCutOff = false

  function read(given: JsonObject): void {
    const chunk = camelKeys(given)
    const failure = failureOf(chunk)
    if (failure) return teller.fail(failure)
    readHead(chunk)
    teller.start(rest['responseId'], rest['modelVersion'])
    const candidate = candidateOf(chunk)
    if (candidate) readCandidate(candidate)
    if (objectAt(rest, 'promptFeedback')?.['blockReason'] !== undefined) teller.complete()
  }

  function readHead(chunk: JsonObject): void {
    const before = rest['usageMetadata']
    keep(rest, chunk, 'candidates')
    const usage = objectAt(chunk, 'usageMetadata')
    // Later frames complete the counts of earlier ones.
    if (usage)
      rest['usageMetadata'] = isJsonObject(before) ? Object.assign(before, usage) : { ...usage }
  }

  function readCandidate(candidate: JsonObject): void {
    hasCandidate = true
    keep(about, candidate, 'content')
    const { finishReason: reason } = candidate as Record<string, JsonValue | undefined>
    // The last piece of a call, which is empty, may be missing; not so when the reply was cut off.
    isCutOff = reason !== undefined && reason !== 'STOP'
    for (const part of partsOf(objectAt(candidate, 'content'))) readPart(part)
    if (reason === undefined) return
    endCall()
    teller.complete()
  }

  function readPart(part: JsonObject): void {
    const call = objectAt(part, 'functionCall')
    if (call) return readCall(part, call)
    endCall()
    const { text, thought } = part as Record<string, JsonValue | undefined>
    if (typeof text !== 'string') teller.extra('gemini', { part })
    else if (thought === true) readThought(part, text)
    else teller.text(text)
    addPart(part)
  }

  /** A signature stays with the thought that it came with. */
  function readThought(part: JsonObject, text: string): void {
    if (!isPlain(part)) teller.extra('gemini', text === '' ? { part } : { signed: part })
    teller.reasoning(text)
  }

  /** Pieces of text become one part again, but a signature stays on the part that it came with. */
  function addPart(part: JsonObject): void {
    const before = parts.at(-1)
    // An empty piece that carries nothing adds nothing, whatever came before it.
    if (before && part['text'] === '' && Object.keys(part).length === 1) return
    if (!(before && joinTexts(before, part))) parts.push({ ...part })
  }

  function readCall(part: JsonObject, call: JsonObject): void {
    const { name, willContinue } = call as Record<string, JsonValue | undefined>
    if (typeof name === 'string' && name !== '') startCall(part, call, name)
    const pieces = Array.isArray(call['partialArgs']) ? call['partialArgs'] : []
    for (const piece of pieces.filter(isJsonObject)) addPiece(camelKeys(piece))
    if (growing) growing.isUnfinished = willContinue === true
    if (willContinue !== true) endCall()
  }

  function addPiece(piece: JsonObject): void {
    if (!growing) return
    const json = growing.arguments.add(piece)
    growing.text += json
    growing.open.delta(json)
  }

  function startCall(part: JsonObject, call: JsonObject, name: string): void {
    endCall()
    const { partialArgs: _, willContinue: __, args, ...fields } = call
    const open = teller.call(name, call['id'], signatureOf(part))
    ids.push(open.id)
    const whole = { ...part, functionCall: fields }
    parts.push(whole)
    if (args === undefined) {
      const pieces = { arguments: createPartialArguments(), text: '', isUnfinished: false }
      growing = { part: whole, open, ...pieces }
      return
    }
    whole.functionCall['args'] = args
    open.delta(JSON.stringify(args))
    open.end()
  }

  /** Half of the arguments are none: they stay the text that they are, which nobody takes for a call. */
  function endCall(): void {
    if (!growing) return
    const { part, open, arguments: pieces, text, isUnfinished } = growing
    growing = undefined
    const isCut = pieces.isOpen() || (isUnfinished && isCutOff)
    const rest = isCut ? (text === '' ? '{' : '') : pieces.end()
    open.delta(rest)
    const call = part['functionCall']
    if (isJsonObject(call)) call['args'] = isCut ? text + rest : pieces.value
    open.end()
  }

  function body(): JsonObject {
    // Nothing is open any more unless the stream broke off.
    isCutOff = true
    endCall()
    const candidate = { ...about, content: { role: 'model', parts: [...parts] } }
    return { ...rest, ...(hasCandidate && { candidates: [candidate] }) }
  }

  return { read, body }
}

/** Notes all fields but one. */
function keep(target: JsonObject, fields: JsonObject, except: string): void {
  for (const key in fields) {
    const value = fields[key]
    if (key !== except && value !== undefined) target[key] = value
  }
}

/** Adds the text of a part to the one before it; false when they must stay apart. */
function joinTexts(before: JsonObject, part: JsonObject): boolean {
  const { text: start, thought } = before as Record<string, JsonValue | undefined>
  const { text: end } = part
  if (typeof start !== 'string' || typeof end !== 'string') return false
  if (thought !== part['thought'] || !isPlain(before) || !isPlain(part)) return false
  before['text'] = start + end
  return true
}

function isPlain(part: JsonObject): boolean {
  for (const key in part) if (key !== 'text' && key !== 'thought') return false
  return true
}

function signatureOf({ thoughtSignature }: JsonObject): JsonObject {
  return thoughtSignature === undefined ? {} : { thoughtSignature }
}

/** An error after the stream has begun: the status was 200. */
function failureOf({ error }: JsonObject): StreamFailure | undefined {
  if (!isJsonObject(error)) return undefined
  const { message, status, code } = error as Record<string, JsonValue | undefined>
  return {
    message: typeof message === 'string' ? message : 'the provider reports a failure',
    ...(typeof status === 'string' && { code: status }),
    ...(typeof code === 'number' && { status: code }),
  }
}

export function createStreamEncoder({ usage = true }: StreamEncoderOptions = {}): StreamEncoder {
  let head: JsonObject = {}
  /** What the next thought has beside its words. */
  let signed: JsonObject = {}

  function chunk(parts: readonly JsonObject[], fields: JsonObject = {}): Frame {
    const candidate = { content: { role: 'model', parts: [...parts] }, ...fields, index: 0 }
    return { data: JSON.stringify({ candidates: [candidate], ...head }) }
  }

  function finish(response: ChatResponse): Frame[] {
    const { extra, message } = response
    const { candidate, usageMetadata: _, ...fields } = extra?.['gemini'] ?? {}
    const signature = lastSignature(message)
    const last = { text: '', ...(signature !== undefined && { thoughtSignature: signature }) }
    const about = isJsonObject(candidate) ? candidate : {}
    const content = { content: { role: 'model', parts: [last] } }
    const one = { ...content, finishReason: finishWord(response), index: 0, ...about }
    const counts = usage ? encodeUsage(response) : {}
    const body = {
      ...(!isRefused(response) && { candidates: [one] }),
      ...counts,
      ...head,
      ...fields,
    }
    return [{ data: JSON.stringify(body) }]
  }

  function think(text: string): JsonObject {
    const thought = { ...signed, text, thought: true }
    signed = {}
    return thought
  }

  function push(event: ChatEvent): Frame[] {
    switch (event.type) {
      case 'start':
        head = encodeHead(event)
        return []
      case 'text-delta':
        return [chunk([{ text: event.text }])]
      case 'reasoning-delta':
        return [chunk([think(event.text)])]
      case 'call-end':
        return [chunk([encodeCall(event.call, { id: event.call.id })])]
      case 'extra': {
        const own = event.extra['gemini']
        signed = objectAt(own, 'signed') ?? signed
        const part = objectAt(own, 'part')
        return part ? [chunk([part])] : []
      }
      case 'finish':
        return finish(event.response)
      case 'error': {
        const { message, code = 'INTERNAL', status = 500 } = event.error
        return [{ data: JSON.stringify({ error: { code: status, message, status: code } }) }]
      }
      default:
        return []
    }
  }

  return { push }
}
