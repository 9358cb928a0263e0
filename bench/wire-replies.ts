/** Streamed replies as the servers of each dialect send them, with all that they say besides. */
import { writeFrame } from '../src/client/frames.ts'
import type { Frame } from '../src/core/dialect.ts'
import type { JsonObject } from '../src/core/json/value.ts'
import type { DialectId } from '../src/dialects/registry.ts'
import { getDialect } from '../src/dialects/registry.ts'

/** What a model says: text in pieces, then perhaps a call whose arguments come in pieces. */
export interface Speech {
  readonly words: readonly string[]
  readonly argument: readonly string[]
}

export interface WireReply {
  readonly dialect: DialectId
  readonly frames: readonly Frame[]
}

const PROSE = [
  'The ferry leaves the pier at half past nine, and the crossing takes about forty minutes. ',
  'Bring a warm coat: on deck the wind is stronger than it looks from the shore. ',
  'Tickets cost 12.50 € each, children travel free (up to the age of six).\n\n',
  'If you miss it, the next one goes at a quarter to eleven; the café opens at ten. ',
]

/** So many words of prose, each with the space before it, as models count them. */
export function speechOf(words: number, argument: readonly string[] = []): Speech {
  const said = PROSE.join('').match(/\s*\S+/g) ?? []
  return { words: Array.from({ length: words }, (_, i) => said[i % said.length] ?? ''), argument }
}

/** A note of some length, cut as models write it. */
export const ARGUMENT: readonly string[] = JSON.stringify({
  place: 'Ålesund',
  note: 'windows to the sea, two beds, breakfast before eight. '.repeat(12),
}).match(/[\s\S]{1,6}/g) as string[]

const TOOL = 'book_room'
const CALL = 'call_Yt3nQ8rLw0'

type Write = (speech: Speech) => Frame[]

const json = (data: JsonObject): Frame => ({ data: JSON.stringify(data) })
const typed = (type: string, data: JsonObject): Frame => ({
  event: type,
  data: JSON.stringify({ type, ...data }),
})

const WRITERS: Readonly<Record<DialectId, Write>> = {
  'openai-chat': chunks,
  mistral: chunks,
  'openai-responses': responses,
  anthropic,
  gemini,
  'google-interactions': interactions,
  ollama,
  bedrock,
  cohere,
}

function chunks({ words, argument }: Speech): Frame[] {
  const head = {
    id: 'chatcmpl-7c1f0e5b9a',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'harbour-large-2',
    service_tier: 'default',
    system_fingerprint: 'fp_19ab27c4',
  }
  const chunk = (delta: JsonObject, finish: string | null = null) =>
    json({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      usage: null,
    })
  const piece = (part: JsonObject, more: JsonObject = {}) =>
    chunk({ tool_calls: [{ index: 0, ...more, function: part }] })
  const call = [
    piece({ name: TOOL, arguments: '' }, { id: CALL, type: 'function' }),
    ...argument.map((part) => piece({ arguments: part })),
  ]
  const usage = { prompt_tokens: 20, completion_tokens: 90, total_tokens: 110 }
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...words.map((content) => chunk({ content })),
    ...(argument.length > 0 ? call : []),
    chunk({}, argument.length > 0 ? 'tool_calls' : 'stop'),
    json({ ...head, choices: [], usage }),
    { data: '[DONE]' },
  ]
}

function responses({ words, argument }: Speech): Frame[] {
  let number = 0
  const event = (type: string, data: JsonObject) =>
    typed(type, { sequence_number: number++, ...data })
  const response = { id: 'resp_51', object: 'response', model: 'harbour-large-2', output: [] }
  const text = words.join('')
  const at = { item_id: 'msg_51', output_index: 0, content_index: 0 }
  const part = { type: 'output_text', text, annotations: [] }
  const message = { id: 'msg_51', type: 'message', status: 'completed', role: 'assistant' }
  const callAt = { item_id: 'fc_51', output_index: 1 }
  const call = { id: 'fc_51', type: 'function_call', name: TOOL, call_id: CALL }
  const args = argument.join('')
  const callEvents = () => [
    event('response.output_item.added', { output_index: 1, item: { ...call, arguments: '' } }),
    ...argument.map((delta) =>
      event('response.function_call_arguments.delta', { ...callAt, delta, obfuscation: 'x1' }),
    ),
    event('response.function_call_arguments.done', { ...callAt, arguments: args }),
    event('response.output_item.done', { output_index: 1, item: { ...call, arguments: args } }),
  ]
  const whole = { ...message, content: [part] }
  const output = argument.length > 0 ? [whole, { ...call, arguments: args }] : [whole]
  return [
    event('response.created', { response }),
    event('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
    event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
    ...words.map((delta, i) =>
      event('response.output_text.delta', {
        ...at,
        delta,
        logprobs: [],
        obfuscation: 'qW8e2rT5'.slice(i % 8),
      }),
    ),
    event('response.output_text.done', { ...at, text }),
    event('response.content_part.done', { ...at, part }),
    event('response.output_item.done', { output_index: 0, item: whole }),
    ...(argument.length > 0 ? callEvents() : []),
    event('response.completed', { response: { ...response, status: 'completed', output } }),
  ]
}

function anthropic({ words, argument }: Speech): Frame[] {
  const delta = (index: number, fields: JsonObject) =>
    typed('content_block_delta', { index, delta: fields })
  const start = (index: number, block: JsonObject) =>
    typed('content_block_start', { index, content_block: block })
  const usage = { input_tokens: 20, output_tokens: 1 }
  const head = { id: 'msg_51', type: 'message', role: 'assistant', model: 'harbour-large-2' }
  const call = [
    start(1, { type: 'tool_use', id: 'toolu_51', name: TOOL, input: {} }),
    ...argument.map((part) => delta(1, { type: 'input_json_delta', partial_json: part })),
    typed('content_block_stop', { index: 1 }),
  ]
  const reason = argument.length > 0 ? 'tool_use' : 'end_turn'
  return [
    typed('message_start', { message: { ...head, content: [], stop_reason: null, usage } }),
    start(0, { type: 'text', text: '' }),
    typed('ping', {}),
    ...words.map((text) => delta(0, { type: 'text_delta', text })),
    typed('content_block_stop', { index: 0 }),
    ...(argument.length > 0 ? call : []),
    typed('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 90 } }),
    typed('message_stop', {}),
  ]
}

function gemini({ words, argument }: Speech): Frame[] {
  const frame = (parts: JsonObject[], more: JsonObject = {}) =>
    json({
      candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 90, totalTokenCount: 110 },
      modelVersion: 'harbour-large-2',
      responseId: 'r_51',
    })
  const args = argument.length > 0 ? JSON.parse(argument.join('')) : {}
  return [
    ...words.map((text) => frame([{ text }])),
    ...(argument.length > 0 ? [frame([{ functionCall: { name: TOOL, args } }])] : []),
    frame([{ text: '' }], { finishReason: 'STOP' }),
  ]
}

function interactions({ words, argument }: Speech): Frame[] {
  const event = (type: string, data: JsonObject): Frame => ({
    event: type,
    data: JSON.stringify({ ...data, event_type: type }),
  })
  const delta = (index: number, fields: JsonObject) => event('step.delta', { index, delta: fields })
  const call = { type: 'function_call', id: CALL, name: TOOL, arguments: {} }
  const calls = [
    event('step.start', { index: 1, step: call }),
    ...argument.map((part) => delta(1, { arguments: part, type: 'arguments_delta' })),
    event('step.stop', { index: 1 }),
  ]
  const head = { id: 'v1_51', object: 'interaction', model: 'harbour-large-2' }
  const usage = { total_tokens: 110, total_input_tokens: 20, total_output_tokens: 90 }
  const status = argument.length > 0 ? 'requires_action' : 'completed'
  return [
    event('interaction.created', { interaction: { ...head, status: 'in_progress' } }),
    event('step.start', { index: 0, step: { type: 'model_output' } }),
    ...words.map((text) => delta(0, { text, type: 'text' })),
    event('step.stop', { index: 0 }),
    ...(argument.length > 0 ? calls : []),
    event('interaction.completed', { interaction: { ...head, status, usage } }),
    { event: 'done', data: '[DONE]' },
  ]
}

function ollama({ words, argument }: Speech): Frame[] {
  let count = 0
  const line = (message: JsonObject, more: JsonObject = { done: false }) =>
    json({
      model: 'harbour:8b',
      created_at: `2026-11-16T09:30:${String(10 + (count++ % 50))}.0419Z`,
      message: { role: 'assistant', content: '', ...message },
      ...more,
    })
  const args = argument.length > 0 ? JSON.parse(argument.join('')) : {}
  return [
    ...words.map((content) => line({ content })),
    ...(argument.length > 0
      ? [line({ tool_calls: [{ function: { name: TOOL, arguments: args } }] })]
      : []),
    line({}, { done: true, done_reason: 'stop', prompt_eval_count: 20, eval_count: 90 }),
  ]
}

function bedrock({ words, argument }: Speech): Frame[] {
  const event = (name: string, data: JsonObject): Frame => ({
    event: name,
    data: JSON.stringify({ ...data, p: 'abcdefghijklmno' }),
  })
  const delta = (index: number, fields: JsonObject) =>
    event('contentBlockDelta', { contentBlockIndex: index, delta: fields })
  const call = [
    event('contentBlockStart', {
      contentBlockIndex: 1,
      start: { toolUse: { toolUseId: 'tooluse_51', name: TOOL } },
    }),
    ...argument.map((input) => delta(1, { toolUse: { input } })),
    event('contentBlockStop', { contentBlockIndex: 1 }),
  ]
  const usage = { inputTokens: 20, outputTokens: 90, totalTokens: 110 }
  return [
    event('messageStart', { role: 'assistant' }),
    ...words.map((text) => delta(0, { text })),
    event('contentBlockStop', { contentBlockIndex: 0 }),
    ...(argument.length > 0 ? call : []),
    event('messageStop', { stopReason: argument.length > 0 ? 'tool_use' : 'end_turn' }),
    event('metadata', { usage, metrics: { latencyMs: 800 } }),
  ]
}

function cohere({ words, argument }: Speech): Frame[] {
  const event = (type: string, message: JsonObject, index = 0) =>
    typed(type, { index, delta: { message } })
  const call = { id: CALL, type: 'function', function: { name: TOOL, arguments: '' } }
  const calls = [
    event('tool-call-start', { tool_calls: call }),
    ...argument.map((part) =>
      event('tool-call-delta', { tool_calls: { function: { arguments: part } } }),
    ),
    event('tool-call-end', {}),
  ]
  const usage = { tokens: { input_tokens: 20, output_tokens: 90 } }
  const reason = argument.length > 0 ? 'TOOL_CALL' : 'COMPLETE'
  return [
    typed('message-start', { id: 'c_51', delta: { message: { role: 'assistant', content: [] } } }),
    event('content-start', { content: { type: 'text', text: '' } }),
    ...words.map((text) => event('content-delta', { content: { text } })),
    event('content-end', {}),
    ...(argument.length > 0 ? calls : []),
    typed('message-end', { delta: { finish_reason: reason, usage } }),
  ]
}

export const WIRE_DIALECTS = Object.keys(WRITERS) as DialectId[]

export function wireReply(dialect: DialectId, speech: Speech): WireReply {
  return { dialect, frames: WRITERS[dialect](speech) }
}

/** A chunk of the network for each frame. */
export function framedBytes({ dialect, frames }: WireReply): Uint8Array[] {
  const { framing } = getDialect(dialect)
  return frames.map((frame) => writeFrame(framing, frame))
}

/** The same bytes in chunks of this size, wherever that cuts them. */
export function recut(pieces: readonly Uint8Array[], size: number): Uint8Array[] {
  const whole = Buffer.concat(pieces)
  const count = Math.ceil(whole.length / size)
  return Array.from({ length: count }, (_, i) =>
    Uint8Array.prototype.slice.call(whole, i * size, (i + 1) * size),
  )
}
