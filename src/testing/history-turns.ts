/** The conversation in a request of any dialect as turns, for checks that hold in all of them. */
import { isJsonObject, type JsonValue } from '../core/json/value.ts'

export interface WireTurn {
  /** Where it stands in the request. */
  readonly at: string
  /** As the request calls it. */
  readonly role: string
  readonly calls: readonly WireCall[]
  readonly results: readonly WireResult[]
  /** Texts, as they are. */
  readonly texts: readonly string[]
  /** What there is besides texts, calls and results. */
  readonly others: number
  /** In which order calls, results and the rest stand: `t`, `c`, `r`. */
  readonly order: string
}

export interface WireCall {
  readonly id: string | undefined
  readonly name: string
  /** The arguments as the dialect has them: JSON text or an object. */
  readonly input: JsonValue | undefined
}

export interface WireResult {
  readonly id: string | undefined
  readonly name: string | undefined
}

type Fields = Readonly<Record<string, JsonValue | undefined>>

/** One piece of a message: a text, a call, a result, or something else. */
type Piece =
  | { readonly text: string }
  | { readonly call: WireCall }
  | { readonly result: WireResult }
  | { readonly other: true }

const OTHER: Piece = { other: true }

/** Messages that have calls beside their content, as OpenAI, Mistral, Cohere and Ollama have them. */
export function chatTurns({ messages }: Fields): WireTurn[] {
  return objects(messages).map((message, at) => {
    const { role, tool_calls: calls, tool_plan: plan, tool_name: toolName, name } = message
    const place = `messages[${at}]`
    if (role === 'tool') {
      const result = { id: text(message['tool_call_id']), name: text(toolName ?? name) }
      return turn(place, role, [{ result }])
    }
    const pieces = [
      ...(typeof plan === 'string' ? [{ text: plan }] : []),
      ...contentPieces(message['content']),
      ...(message['images'] === undefined ? [] : [OTHER]),
      ...objects(calls).map((call) => ({ call: chatCall(call) })),
    ]
    return turn(place, role, pieces)
  })
}

function chatCall({ id, function: called, custom }: Fields): WireCall {
  const { name, arguments: json, input } = fields(called ?? custom)
  return { id: text(id), name: text(name) ?? '', input: custom ? freeText(input) : json }
}

/** The input of tools that take text, which may be any. */
function freeText(input: JsonValue | undefined): JsonValue | undefined {
  return typeof input === 'string' ? JSON.stringify({ input }) : input
}

function contentPieces(content: JsonValue | undefined): Piece[] {
  if (typeof content === 'string') return [{ text: content }]
  return objects(content).map((part) =>
    part['type'] === 'text' ? { text: text(part['text']) ?? '' } : OTHER,
  )
}

/** Blocks with a type. */
export function anthropicTurns({ messages }: Fields): WireTurn[] {
  return objects(messages).map(({ role, content }, at) =>
    turn(
      `messages[${at}]`,
      role,
      typeof content === 'string' ? [{ text: content }] : objects(content).map(anthropicPiece),
    ),
  )
}

function anthropicPiece(block: Fields): Piece {
  if (block['type'] === 'text') return { text: text(block['text']) ?? '' }
  if (block['type'] === 'tool_use') {
    const { id, name, input } = block
    return { call: { id: text(id), name: text(name) ?? '', input } }
  }
  if (block['type'] !== 'tool_result') return OTHER
  return { result: { id: text(block['tool_use_id']), name: undefined } }
}

/** Blocks whose only key says what they are. */
export function bedrockTurns({ messages }: Fields): WireTurn[] {
  return objects(messages).map(({ role, content }, at) =>
    turn(`messages[${at}]`, role, objects(content).map(bedrockPiece)),
  )
}

function bedrockPiece(block: Fields): Piece {
  if (typeof block['text'] === 'string') return { text: block['text'] }
  const { toolUseId, name, input, type } = fields(block['toolUse'] ?? block['toolResult'])
  // What has a type is run by the service itself.
  if (toolUseId === undefined || type !== undefined) return OTHER
  const id = text(toolUseId)
  if ('toolResult' in block) return { result: { id, name: undefined } }
  return { call: { id, name: text(name) ?? '', input } }
}

export function geminiTurns({ contents }: Fields): WireTurn[] {
  return objects(contents).map(({ role, parts }, at) =>
    turn(`contents[${at}]`, role, objects(parts).map(geminiPiece)),
  )
}

function geminiPiece(part: Fields): Piece {
  const { functionCall, functionResponse } = part
  if (typeof part['text'] === 'string') return { text: part['text'] }
  if (isJsonObject(functionCall)) {
    const { id, name, args = {} } = fields(functionCall)
    return { call: { id: text(id), name: text(name) ?? '', input: args } }
  }
  if (!isJsonObject(functionResponse)) return OTHER
  const { id, name } = fields(functionResponse)
  return { result: { id: text(id), name: text(name) } }
}

/** Items one after another. */
export function responsesTurns({ input }: Fields): WireTurn[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : objects(input)
  return joinedTurns(items.map((item, at) => responsesTurn(item, `input[${at}]`)))
}

/** What an assistant says or results bring one after another is one turn. */
function joinedTurns(pieces: readonly WireTurn[]): WireTurn[] {
  const turns: WireTurn[] = []
  for (const next of pieces) {
    const before = turns.at(-1)
    const goesOn = before?.role === next.role && (next.role === 'assistant' || next.role === 'tool')
    if (before && goesOn) turns[turns.length - 1] = joined(before, next)
    else turns.push(next)
  }
  return turns
}

/** Calls for the client that are no functions, whatever their input. */
const CLIENT_RUN: ReadonlySet<JsonValue | undefined> = new Set([
  'apply_patch_call',
  'local_shell_call',
  'computer_call',
])

function responsesTurn(item: Fields, at: string): WireTurn {
  const { type, call_id: given, id: itemId, name, arguments: json, input } = item
  const id = text(given ?? itemId)
  if (type === 'function_call' || type === 'custom_tool_call') {
    const called = type === 'function_call' ? json : freeText(input)
    return turn(at, 'assistant', [{ call: { id, name: text(name) ?? '', input: called } }])
  }
  if (CLIENT_RUN.has(type)) {
    return turn(at, 'assistant', [{ call: { id, name: text(type) ?? '', input: '{}' } }])
  }
  if (text(type)?.endsWith('_call_output') && type !== 'shell_call_output') {
    return turn(at, 'tool', [{ result: { id, name: undefined } }])
  }
  if (type !== undefined && type !== 'message') {
    return turn(at, 'assistant', [OTHER])
  }
  const { role, content } = item
  if (typeof content === 'string') return turn(at, role, [{ text: content }])
  return turn(
    at,
    role,
    objects(content).map((part) =>
      typeof part['text'] === 'string' ? { text: part['text'] } : OTHER,
    ),
  )
}

/** Steps one after another. */
export function interactionTurns({ input }: Fields): WireTurn[] {
  return joinedTurns(objects(input).map((step, at) => interactionTurn(step, `input[${at}]`)))
}

function interactionTurn(step: Fields, at: string): WireTurn {
  const { type, id, call_id: callId, name, arguments: input } = step
  if (type === 'function_result') {
    return turn(at, 'tool', [{ result: { id: text(callId), name: text(name) } }])
  }
  if (type === 'function_call') {
    return turn(at, 'assistant', [{ call: { id: text(id), name: text(name) ?? '', input } }])
  }
  const isOutput = type === 'model_output'
  if (!isOutput && type !== 'user_input') return turn(at, 'assistant', [OTHER])
  return turn(at, isOutput ? 'assistant' : 'user', contentPieces(step['content']))
}

function joined(before: WireTurn, next: WireTurn): WireTurn {
  return {
    at: before.at,
    role: before.role,
    calls: [...before.calls, ...next.calls],
    results: [...before.results, ...next.results],
    texts: [...before.texts, ...next.texts],
    others: before.others + next.others,
    order: before.order + next.order,
  }
}

function turn(at: string, role: JsonValue | undefined, pieces: readonly Piece[]): WireTurn {
  return {
    at,
    role: text(role) ?? '',
    calls: pieces.flatMap((piece) => ('call' in piece ? [piece.call] : [])),
    results: pieces.flatMap((piece) => ('result' in piece ? [piece.result] : [])),
    texts: pieces.flatMap((piece) => ('text' in piece ? [piece.text] : [])),
    others: pieces.filter((piece) => 'other' in piece).length,
    order: pieces.map(letterOf).join(''),
  }
}

function letterOf(piece: Piece): string {
  if ('call' in piece) return 'c'
  return 'result' in piece ? 'r' : 't'
}

function objects(value: JsonValue | undefined): Fields[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function fields(value: JsonValue | undefined): Fields {
  return isJsonObject(value) ? value : {}
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
