/** Streams in OpenAI's form, read: one reader for all the servers that send something like it. */
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'
import type { OpenCall, StreamReader, StreamTeller } from '../stream-decoder.ts'
import {
  beginCall,
  type CallEntry,
  entryOf,
  findCall,
  growCall,
  type TrackedCall,
} from './call-track.ts'
import { addPart, joinFields, wordsOf } from './pieces.ts'
import { failureOf } from './stream-failure.ts'

const REASONING_KEYS = ['reasoning_content', 'reasoning'] as const
/** Fields of a chunk that say something about this chunk alone. */
const PASSING: ReadonlySet<string> = new Set([
  'object',
  'choices',
  'usage',
  'x_groq',
  'obfuscation',
])

/** Fields of a delta and of a choice that are read; others are kept as they come. */
const DELTA_READ: ReadonlySet<string> = new Set(
  'role content refusal tool_calls function_call reasoning_content reasoning'.split(' '),
)
const CHOICE_READ: ReadonlySet<string> = new Set(
  'index delta message finish_reason usage'.split(' '),
)

export function readChunks(teller: StreamTeller, dialect = 'openai-chat'): StreamReader {
  const head: JsonObject = {}
  const texts: string[] = []
  const reasoning: string[] = []
  const calls = createGrowingCalls(teller)
  const aboutMessage: JsonObject = {}
  const aboutChoice: JsonObject = {}
  /** The content when it came as a list, as it does from models that think in it. */
  let parts: JsonObject[] | undefined
  let index: JsonValue | undefined
  let finish: JsonValue = null
  let usage: JsonValue | undefined

  function read(chunk: JsonObject): void {
    const failure = failureOf(chunk)
    if (failure) return teller.fail(failure)
    for (const key of Object.keys(chunk)) {
      if (key in head || PASSING.has(key)) continue
      const value = chunk[key]
      if (value !== undefined && value !== null && value !== '') head[key] = value
    }
    const choices = objectsIn(chunk['choices'])
    // Azure's first chunk is about its filter and does not say whose reply it belongs to.
    if (choices.length > 0 || 'id' in head) teller.start(head['id'], head['model'])
    usage = readUsage(chunk, choices[0]) ?? usage
    // Other indexes are other answers to the same question.
    index ??= choices[0]?.['index']
    for (const choice of choices) if (choice['index'] === index) readChoice(choice)
  }

  function readChoice(choice: JsonObject): void {
    const { delta, message, finish_reason: reason = null } = choice
    keepOthers(aboutChoice, choice, CHOICE_READ)
    // Some servers send a whole message where a stream was asked for.
    const piece = isJsonObject(delta) ? delta : message
    if (isJsonObject(piece)) readDelta(piece)
    if (reason === null) return
    finish = reason
    calls.complete()
    // Some servers send an empty reason with every chunk.
    teller.complete(reason !== '')
  }

  function readDelta(delta: JsonObject): void {
    readReasoning(delta)
    const content = delta['content'] ?? delta['refusal']
    if (Array.isArray(content)) for (const part of objectsIn(content)) readPart(part)
    else readText(content)
    const listed = delta['tool_calls']
    for (const call of isJsonObject(listed) ? [listed] : objectsIn(listed)) calls.read(call)
    if (isJsonObject(delta['function_call']))
      calls.read({ function: delta['function_call'], index: 0 })
    keepOthers(aboutMessage, delta, DELTA_READ)
  }

  function readReasoning(delta: JsonObject): void {
    const thought = REASONING_KEYS.map((key) => delta[key]).find((text) => typeof text === 'string')
    if (thought !== undefined) return think(thought)
    for (const { text, summary } of objectsIn(delta['reasoning_details'])) think(text ?? summary)
  }

  function readPart(part: JsonObject): void {
    parts ??= texts.length > 0 ? [{ type: 'text', text: texts.join('') }] : []
    addPart(parts, part)
    const { thinking, text, type: _, ...others } = part as Record<string, JsonValue | undefined>
    teller.reasoning(wordsOf(thinking))
    teller.text(text)
    if (thinking === undefined && text === undefined) teller.extra(dialect, { part })
    // What a thought has beside its words, such as that it is closed.
    if (thinking !== undefined && Object.keys(others).length > 0) {
      teller.extra(dialect, { part: { ...part, thinking: [] } })
    }
  }

  function think(thought: JsonValue | undefined): void {
    if (typeof thought !== 'string') return
    reasoning.push(thought)
    teller.reasoning(thought)
  }

  function readText(text: JsonValue | undefined): void {
    if (typeof text !== 'string' || text === '') return
    if (parts) addPart(parts, { type: 'text', text })
    else texts.push(text)
    teller.text(text)
  }

  function body(): JsonObject {
    const toolCalls = calls.whole()
    const message = {
      ...aboutMessage,
      role: 'assistant',
      content: parts ?? (texts.length > 0 ? texts.join('') : null),
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    }
    const choice = { ...aboutChoice, index: 0, message, finish_reason: finish }
    return { ...head, choices: [choice], ...(usage !== undefined && { usage }) }
  }

  return { read, body }
}

/** Mostly there are none; looking costs less than making a list of the names. */
function keepOthers(target: JsonObject, piece: JsonObject, read: ReadonlySet<string>): void {
  for (const key in piece) {
    const value = piece[key]
    if (value !== undefined && value !== null && !read.has(key))
      joinFields(target, { [key]: value })
  }
}

/** Most servers send it in a chunk of its own, some in every chunk, some inside the choice. */
function readUsage(chunk: JsonObject, choice: JsonObject | undefined): JsonValue | undefined {
  const { usage, x_groq: groq } = chunk as Record<string, JsonValue | undefined>
  const places = [usage, choice?.['usage'], isJsonObject(groq) ? groq['usage'] : undefined]
  return places.find(isJsonObject)
}

interface GrowingCall extends TrackedCall {
  id: string
  /** What goes back with the call. */
  readonly own: JsonObject
  open: OpenCall | undefined
}

interface GrowingCalls {
  read(delta: JsonObject): void
  /** No more pieces will come. */
  complete(): void
  whole(): JsonObject[]
}

function createGrowingCalls(teller: StreamTeller): GrowingCalls {
  const calls: GrowingCall[] = []

  function read(delta: JsonObject): void {
    const { function: part = {}, custom, extra_content: extra } = delta as Record<string, JsonValue>
    if (!isJsonObject(custom) && !isJsonObject(part)) return
    const entry = entryOf(delta)
    const call = findCall(calls, entry) ?? add(entry)
    growCall(call, entry)
    if (extra !== undefined) call.own['extra_content'] = extra
    if (call.isText) call.own['type'] = 'custom'
    if (call.name !== '') tell(call, entry.json)
  }

  function tell(call: GrowingCall, piece: JsonValue | undefined): void {
    if (call.open) return call.open.delta(toldPiece(call, piece))
    call.open = teller.call(call.name, call.id, call.own)
    call.id = call.open.id
    if (call.isText) call.open.delta('{"input":"')
    call.open.delta(toldPiece(call, call.chunks.join('')))
  }

  /** A tool of this kind takes text; it is told as its argument `input`. */
  function toldPiece({ isText }: GrowingCall, piece: JsonValue | undefined): JsonValue | undefined {
    return isText && typeof piece === 'string' ? JSON.stringify(piece).slice(1, -1) : piece
  }

  function complete(): void {
    for (const { isText, open } of calls) {
      if (!isText || !open) continue
      open.delta('"}')
      open.end()
    }
  }

  function add(entry: CallEntry): GrowingCall {
    endLast()
    const call = { ...beginCall(entry), id: entry.id ?? '', own: {}, open: undefined }
    calls.push(call)
    return call
  }

  /** The next call begins. The one before is over, unless both grow at the same time. */
  function endLast(): void {
    const last = calls.at(-1)
    if (last?.open && parseObject(last.chunks.join(''))) last.open.end()
  }

  /** An empty piece for a call that never began is none. */
  function whole(): JsonObject[] {
    return calls
      .filter(({ name, chunks }) => name !== '' || chunks.join('').trim() !== '')
      .map(wholeCall)
  }

  return { read, complete, whole }
}

function wholeCall({ id, name, chunks, own, isText }: GrowingCall): JsonObject {
  const text = chunks.join('')
  if (isText) return { ...own, id, custom: { name, input: text } }
  return { id, type: 'function', function: { name, arguments: text }, ...own }
}
