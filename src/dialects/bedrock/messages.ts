/** Conversations in the form of Converse, both ways. */

import type { EncodeOptions } from '../../core/dialect.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import { runsOf } from '../../core/runs.ts'
import { flatMapSteps, type Steps } from '../../core/steps.ts'
import { objectsIn } from '../history-call.ts'
import { keepContent, keptBlocks, saysTheSame } from '../kept-content.ts'
import { ownFields } from '../request-fields.ts'
import { assistantBlocks } from './assistant.ts'
import { decodeContent, encodeContent, encodeMarked, isBlankText } from './content.ts'
import { numberDocuments } from './document-names.ts'
import { decodeResult, encodeResult, isResult, plainResult } from './results.ts'

const DIALECT = 'bedrock'

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject[]
}

/** The fields of a request that hold the conversation. */
export function encodeConversation(
  messages: readonly Message[],
  options: EncodeOptions = {},
): { readonly system?: JsonObject[]; readonly messages: JsonObject[] } {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const top = first === -1 ? messages.length : first
  for (const { extra } of messages) ownFields(DIALECT, extra, options)
  const system = messages.slice(0, top).flatMap((message) => encodePlain(message, options))
  const turns = encodeTurns(messages.slice(top), options)
  return {
    ...(system.length > 0 && { system }),
    messages: numberDocuments(turns.map(({ role, content }) => ({ role, content }))),
  }
}

/** User and assistant take turns: what one of them says in a row is one message. */
function encodeTurns(messages: readonly Message[], options: EncodeOptions): Turn[] {
  const turns = messages.map((message): Turn => {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    return { role, content: encodeTurn(message, options) }
  })
  const said = turns.filter(({ content }) => content.length > 0)
  return runsOf(said, ([first], { role }) => first?.role === role).flatMap((run) => {
    const [first] = run
    return first ? [{ role: first.role, content: run.flatMap(({ content }) => content) }] : []
  })
}

function encodeTurn(message: Message, options: EncodeOptions): JsonObject[] {
  const { role } = message
  if (role === 'assistant') return assistantBlocks.encodeHistory(message, options)
  if (role === 'tool') return encodeResults(message, options)
  const blocks = encodePlain(message, options)
  if (role === 'user') return blocks
  options.report?.({
    code: 'not-expressible',
    message: 'Converse has system messages only on top; this one became text of the user',
  })
  const text = blocks.map((block) => block['text'] ?? '')
  return [{ text: `<system>${text.join('\n')}</system>` }]
}

/** What a user or the system says. */
function encodePlain(message: Message, options: EncodeOptions): JsonObject[] {
  const kept = keptBlocks(DIALECT, message)
  if (kept.length > 0 && saysTheSame({ ...message, content: decodeContent(kept) }, message)) {
    return kept.filter((block) => !isBlankText(block))
  }
  return encodeMarked(message.content, options)
}

function encodeResults(message: Message, options: EncodeOptions): JsonObject[] {
  const { toolResults = [] } = message
  const kept = keptBlocks(DIALECT, message)
  if (kept.length === 0 || !saysTheSame(decodeResults(kept), message)) {
    return toolResults.map((result) => encodeResult(result, options))
  }
  let at = 0
  return kept.map((block) => {
    const { toolResult } = block as { toolResult?: JsonObject }
    return toolResult
      ? { toolResult: { ...toolResult, toolUseId: toolResults[at++]?.callId ?? '' } }
      : block
  })
}

export function* decodeConversation({ system, messages }: JsonObject): Steps<Message[]> {
  const top = objectsIn(system)
  const said = top.length > 0 ? [decodePlain('system', top)] : []
  return [...said, ...(yield* flatMapSteps(objectsIn(messages), decodeTurn))]
}

function decodeTurn({ role, content }: JsonObject): Message[] {
  const blocks = objectsIn(content)
  if (role === 'assistant') return [assistantBlocks.decode(blocks)]
  const said = blocks.filter((block) => !isResult(block))
  if (said.length === blocks.length) return [decodePlain('user', blocks)]
  // Marks for the cache behind results are no words of the user.
  if (said.every(isCachePoint)) return [decodeResults(blocks)]
  return [decodeResults(blocks.filter(isResult)), decodePlain('user', said)]
}

function isCachePoint(block: JsonObject): boolean {
  return 'cachePoint' in block
}

function decodePlain(role: 'system' | 'user', blocks: readonly JsonObject[]): Message {
  const content = decodeContent([...blocks] satisfies JsonValue)
  return { role, content, ...keepContent(DIALECT, blocks, encodeContent(content)) }
}

function decodeResults(blocks: readonly JsonObject[]): Message {
  const toolResults = blocks.filter(isResult).map(decodeResult)
  const rebuilt = toolResults.map((result) => encodeResult(result))
  return {
    role: 'tool',
    content: '',
    toolResults,
    ...keepContent(DIALECT, blocks, rebuilt, (block) => [plainResult(block)]),
  }
}
