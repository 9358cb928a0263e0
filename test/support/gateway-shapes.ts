/**
 * What strict clients of each dialect expect of a stream, event by event. Written apart from the code that
 * writes streams, so that it can judge it. Each check tells what is wrong; nothing when all is well.
 */
import type { Frame } from '../../src/core/dialect.ts'

/** JSON of a frame; tests may look wherever they like. */
// biome-ignore lint/suspicious/noExplicitAny: the checks name the fields they want, and miss them otherwise.
type Json = any

export type StreamShape = (frames: readonly Frame[]) => string[]

export const STREAM_SHAPES: Readonly<Record<string, StreamShape>> = {
  'openai-chat': chatShape,
  'openai-responses': responsesShape,
  anthropic: anthropicShape,
  ollama: ollamaShape,
  gemini: geminiShape,
  'google-interactions': interactionShape,
}

function say(isWrong: boolean, problem: string): string[] {
  return isWrong ? [problem] : []
}

function allSame(values: readonly unknown[]): boolean {
  return new Set(values.map((value) => JSON.stringify(value))).size <= 1
}

function chatShape(frames: readonly Frame[]): string[] {
  const isDone = frames.map(({ data }) => data === '[DONE]')
  const chunks: Json[] = frames.filter((_, at) => !isDone[at]).map(({ data }) => JSON.parse(data))
  const choices: Json[] = chunks.flatMap((chunk) => chunk.choices)
  const finished = choices.filter((choice) => choice.finish_reason !== null)
  const calls: Json[] = choices.flatMap((choice) => choice.delta.tool_calls ?? [])
  const finishAt = chunks.findIndex((chunk) => chunk.choices[0]?.finish_reason)
  const counts = chunks.findIndex((chunk) => chunk.usage)
  return [
    ...say(isDone.filter(Boolean).length !== 1 || !isDone.at(-1), '[DONE] is not once and last'),
    ...say(finished.length !== 1, `${finished.length} finish reasons`),
    ...say(choices[0]?.delta.role !== 'assistant', 'the first delta has no role'),
    ...say(!allSame(chunks.map(({ id, model, created }) => [id, model, created])), 'other names'),
    ...say(
      chunks.some(({ object }) => object !== 'chat.completion.chunk'),
      'another object',
    ),
    ...say(
      choices.some(({ index }) => index !== 0),
      'another choice',
    ),
    ...say(counts !== -1 && counts < finishAt, 'counts before the finish'),
    ...say(
      counts !== -1 && chunks[counts].choices.length > 0 && counts !== finishAt,
      'counts beside text',
    ),
    ...chatCalls(calls),
  ]
}

function chatCalls(pieces: readonly Json[]): string[] {
  let last = -1
  const seen = new Set<string>()
  return pieces.flatMap((piece) => {
    const { index, id, type, function: made } = piece
    if (index === last) {
      return say(id !== undefined || made.name !== undefined, `call ${index} is named twice`)
    }
    const problems = [
      ...say(index !== last + 1, `call ${index} behind call ${last}`),
      ...say(type !== 'function' || !made.name || !id, `call ${index} has no name, type or id`),
      ...say(seen.has(id), `the id ${id} twice`),
    ]
    seen.add(id)
    last = index
    return problems
  })
}

function responsesShape(frames: readonly Frame[]): string[] {
  const events: Json[] = frames.map(({ data }) => JSON.parse(data))
  const types: string[] = events.map(({ type }) => type)
  const added = events.filter(({ type }) => type === 'response.output_item.added')
  const done = events
    .filter(({ type }) => type === 'response.output_item.done')
    .sort((one, other) => one.output_index - other.output_index)
  const last = events.at(-1)?.response
  const items: Json[] = done.map(({ item }) => item)
  const calls = items.filter(({ type }) => type === 'function_call')
  const heads: Json[] = events.flatMap(({ response }) => response ?? [])
  return [
    ...say(
      events.some((event, at) => event.sequence_number !== at),
      `sequence ${events.map((event) => event.sequence_number)}`,
    ),
    ...say(
      frames.some(({ event }, at) => event !== types[at]),
      'an event under another name',
    ),
    ...say(types[0] !== 'response.created' || types[1] !== 'response.in_progress', 'the beginning'),
    ...say(!/^response\.(?:completed|incomplete)$/.test(types.at(-1) ?? ''), 'the end'),
    ...say(!allSame(heads.map(({ id, model }) => [id, model])), 'other names'),
    ...say(
      heads.some(({ id, model }) => !id || !model),
      'no names',
    ),
    ...say(
      added.some(({ output_index: index }, at) => index !== at),
      'items out of order',
    ),
    ...say(
      JSON.stringify(added.map(({ item }) => item.id)) !==
        JSON.stringify(items.map(({ id }) => id)),
      'items that do not end as they began',
    ),
    ...say(JSON.stringify(last?.output) !== JSON.stringify(items.map(inOrder(last))), 'the output'),
    ...say(
      calls.some((item) => !item.call_id || !item.id || item.call_id === item.id),
      'id and call_id',
    ),
    ...calls.flatMap((item) =>
      say(item.arguments !== deltasOf(events, item.id), `the arguments of ${item.name}`),
    ),
  ]
}

/** The same item as the last event has it, whatever the order of its fields. */
function inOrder(last: Json): (item: Json) => Json {
  return (item) => {
    const other = last?.output.find((one: Json) => one.id === item.id) ?? {}
    const sameFields = allSame([Object.keys(item).sort(), Object.keys(other).sort()])
    const sameValues = Object.keys(item).every((key) => allSame([item[key], other[key]]))
    return sameFields && sameValues ? other : item
  }
}

function deltasOf(events: readonly Json[], id: string): string {
  return events
    .filter(({ type }) => type === 'response.function_call_arguments.delta')
    .filter((event) => event.item_id === id)
    .map(({ delta }) => delta)
    .join('')
}

/** How a dialect tells of blocks that begin, grow and end one after the other. */
interface BlockWords {
  readonly start: string
  readonly delta: string
  readonly stop: string
  /** Where the event that begins one has the block. */
  readonly field: string
  /** The deltas that each type of block may have. */
  readonly deltas: Readonly<Record<string, readonly string[]>>
}

function blockProblems(
  events: readonly Json[],
  types: readonly string[],
  words: BlockWords,
): string[] {
  const problems: string[] = []
  let open: Json
  let next = 0
  for (const [at, event] of events.entries()) {
    const type = types[at]
    if (type === words.start) {
      const block = event[words.field]
      problems.push(...say(open !== undefined, `block ${event.index} inside another`))
      problems.push(...say(event.index !== next, `block ${event.index} instead of ${next}`))
      problems.push(...say(!words.deltas[block.type], `a block ${block.type}`))
      open = block
      continue
    }
    problems.push(...say(!open || event.index !== next, `${type} of block ${event.index}`))
    if (type === words.delta) {
      const isFit = words.deltas[open?.type]?.includes(event.delta.type)
      problems.push(...say(!isFit, `${event.delta.type} in ${open?.type}`))
    } else {
      problems.push(...say(type !== words.stop, `${type} among the blocks`))
      open = undefined
      next++
    }
  }
  return [...problems, ...say(open !== undefined, 'a block without an end')]
}

const ANTHROPIC_BLOCKS: BlockWords = {
  start: 'content_block_start',
  delta: 'content_block_delta',
  stop: 'content_block_stop',
  field: 'content_block',
  deltas: {
    text: ['text_delta'],
    thinking: ['thinking_delta', 'signature_delta'],
    tool_use: ['input_json_delta'],
  },
}

function anthropicShape(frames: readonly Frame[]): string[] {
  const all: Json[] = frames.map(({ data }) => JSON.parse(data))
  const events = all.filter(({ type }) => type !== 'ping')
  const types: string[] = events.map(({ type }) => type)
  return [
    ...say(
      frames.some(({ event }, at) => event !== all[at].type),
      'an event under another name',
    ),
    ...say(types[0] !== 'message_start' || types.at(-1) !== 'message_stop', 'start and stop'),
    ...say(types.at(-2) !== 'message_delta', 'no message_delta before the stop'),
    ...say(types.filter((type) => type === 'message_delta').length !== 1, 'message_delta twice'),
    ...say(!events.at(-2)?.delta?.stop_reason, 'no stop reason'),
    ...say(!events[0]?.message?.id || !events[0]?.message?.model, 'no names'),
    ...blockProblems(events.slice(1, -2), types.slice(1, -2), ANTHROPIC_BLOCKS),
  ]
}

const INTERACTION_STEPS: BlockWords = {
  start: 'step.start',
  delta: 'step.delta',
  stop: 'step.stop',
  field: 'step',
  deltas: {
    model_output: ['text'],
    thought: ['thought_summary', 'thought_signature'],
    function_call: ['arguments_delta'],
  },
}

function interactionShape(frames: readonly Frame[]): string[] {
  const isDone = frames.at(-1)?.data === '[DONE]'
  const told = frames.slice(0, -1)
  const events: Json[] = told.map(({ data }) => JSON.parse(data))
  const types: string[] = events.map((event) => event.event_type)
  const heads: Json[] = events.flatMap(({ interaction }) => interaction ?? [])
  return [
    ...say(!isDone, '[DONE] is not last'),
    ...say(
      told.some(({ event }, at) => event !== types[at]),
      'an event under another name',
    ),
    ...say(types[0] !== 'interaction.created', 'the beginning'),
    ...say(types[1] !== 'interaction.status_update', 'no status'),
    ...say(types.at(-1) !== 'interaction.completed', 'the end'),
    ...say(!/^(?:completed|requires_action|incomplete)$/.test(heads.at(-1)?.status), 'the status'),
    ...say(!heads.at(-1)?.usage, 'no counts'),
    ...say(!allSame(heads.map(({ id, model }) => [id, model])), 'other names'),
    ...say(
      heads.some(({ id, model }) => !id || !model),
      'no names',
    ),
    ...blockProblems(events.slice(2, -1), types.slice(2, -1), INTERACTION_STEPS),
  ]
}

function ollamaShape(frames: readonly Frame[]): string[] {
  const lines: Json[] = frames.map(({ data }) => JSON.parse(data))
  const last = lines.at(-1)
  return [
    ...say(
      lines.slice(0, -1).some(({ done }) => done !== false),
      'done before the end',
    ),
    ...say(last?.done !== true || typeof last?.done_reason !== 'string', 'the end'),
    ...say(
      lines.some(({ message }) => message?.role !== 'assistant'),
      'a line without a message',
    ),
    ...say(
      lines.some(({ model, created_at: at }) => !model || Number.isNaN(Date.parse(at))),
      'no names',
    ),
  ]
}

function geminiShape(frames: readonly Frame[]): string[] {
  const chunks: Json[] = frames.map(({ data }) => JSON.parse(data))
  const reasons = chunks.map(({ candidates }) => candidates?.[0]?.finishReason)
  return [
    ...say(reasons.slice(0, -1).some(Boolean), 'a finish reason before the end'),
    ...say(!reasons.at(-1), 'no finish reason'),
    ...say(
      chunks.some(({ candidates }) => !Array.isArray(candidates?.[0]?.content?.parts)),
      'no parts',
    ),
    ...say(!chunks.at(-1)?.usageMetadata, 'no counts'),
    ...say(
      !allSame(chunks.map(({ responseId, modelVersion }) => [responseId, modelVersion])),
      'names',
    ),
  ]
}
