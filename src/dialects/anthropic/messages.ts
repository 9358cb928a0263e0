/** Conversations in Anthropic's form, both ways. */

import type { ChatRequest } from '../../core/chat.ts'
import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import { runsOf } from '../../core/runs.ts'
import { flatMapSteps, type Steps } from '../../core/steps.ts'
import { objectsIn } from '../history-call.ts'
import { keepContent, keptBlocks, saysTheSame } from '../kept-content.ts'
import { ownFields } from '../request-fields.ts'
import { assistantBlocks, decodeAssistant } from './assistant.ts'
import { readSystem } from './attribution.ts'
import { takesSystemLater } from './claude-version.ts'
import { decodeContent, encodeContent, isBlankText, textBlock } from './content.ts'
import { decodeResult, encodeResult, plainResult } from './results.ts'
import { type ToolLookup, withDefinitions } from './tool-search.ts'

const DIALECT = 'anthropic'

type Content = string | JsonObject[]

interface Turn {
  readonly role: string
  content: Content
}

/** The fields of a request that hold the conversation. */
export function encodeConversation(
  { messages, model, tools = [] }: Pick<ChatRequest, 'messages' | 'model' | 'tools'>,
  options: EncodeOptions = {},
): { readonly system?: Content; readonly messages: JsonObject[] } {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const top = first === -1 ? messages.length : first
  for (const { extra } of messages) ownFields(DIALECT, extra, options)
  const system = encodeSystem(messages.slice(0, top), options)
  const context: TurnContext = {
    ...options,
    systemLater: takesSystemLater(model),
    lookup: (name) => tools.find((tool) => tool.name === name),
  }
  const turns = encodeTurns(messages.slice(top), context)
  return {
    ...(system.length > 0 && { system }),
    messages: turns.map(({ role, content }) => ({ role, content })),
  }
}

interface TurnContext extends EncodeOptions {
  /** The model takes system messages between the others. */
  readonly systemLater: boolean
  readonly lookup: ToolLookup
}

function encodeSystem(messages: readonly Message[], options: EncodeOptions): Content {
  const said = messages.map((message) => encodePlain(message, options))
  const [only, ...more] = said.filter((content) => content.length > 0)
  return more.length === 0 ? (only ?? '') : [only ?? '', ...more].flatMap(blocksOf)
}

function encodeTurns(messages: readonly Message[], context: TurnContext): Turn[] {
  const runs: { readonly role: string; readonly contents: Content[] }[] = []
  let before: Message['role'] | undefined
  for (const message of messages) {
    const last = runs.at(-1)
    const { role, content } = encodeTurn(message, context, last?.role === 'user')
    if (content.length === 0) continue
    // Results and what the user says next are one message.
    if (last && before === 'tool' && last.role === role) last.contents.push(content)
    else runs.push({ role, contents: [content] })
    before = message.role
  }
  const turns = runs.map(({ role, contents }): Turn => {
    const [only = '', ...more] = contents
    return { role, content: more.length === 0 ? only : contents.flatMap(blocksOf) }
  })
  trimPrefill(turns.at(-1))
  return turns
}

function encodeTurn(message: Message, context: TurnContext, followsUser: boolean): Turn {
  const { role } = message
  if (role === 'assistant')
    return { role, content: assistantBlocks.encodeHistory(message, context) }
  if (role === 'tool') return { role: 'user', content: encodeResults(message, context) }
  const content = encodePlain(message, context)
  if (role === 'user' || (context.systemLater && followsUser)) return { role, content }
  // A message that only adds or takes away tools has no words.
  const text = blocksOf(content).map((block) => block['text'] ?? '')
  if (text.join('') === '') return { role: 'user', content: '' }
  context.report?.({
    code: 'not-expressible',
    message: 'the model takes no system message here; it became text of the user',
  })
  return { role: 'user', content: `<system>${text.join('\n')}</system>` }
}

/** What a user or the system says. */
function encodePlain(message: Message, { quirks = {} }: EncodeOptions): Content {
  const kept = keptBlocks(DIALECT, message)
  const { blocks, plain } =
    message.role === 'system' ? readSystem(kept) : { blocks: kept, plain: kept }
  const said = decodeContent([...plain])
  if (kept.length > 0 && saysTheSame({ ...message, content: said }, message)) {
    const sent = quirks.lacks?.includes('attribution') ? plain : blocks
    return sent.filter((block) => !isBlankText(block))
  }
  const { content } = message
  if (typeof content !== 'string') return encodeContent(content)
  return content.trim() === '' ? '' : content
}

function encodeResults(message: Message, { lookup, quirks = {} }: TurnContext): JsonObject[] {
  const { toolResults = [] } = message
  const kept = keptBlocks(DIALECT, message)
  if (kept.length === 0 || !saysTheSame(decodeResults(kept, lookup), message)) {
    return toolResults.map(encodeResult)
  }
  const isLowered = quirks.lacks?.includes('tool-search')
  return kept.map((block, at) => ({
    ...block,
    ...(isLowered && { content: withDefinitions(block['content'], lookup) ?? '' }),
    tool_use_id: toolResults[at]?.callId ?? '',
  }))
}

function blocksOf(content: Content): JsonObject[] {
  return typeof content === 'string' ? [textBlock(content)] : content
}

/** The words that a reply is to begin with must not end in white space. */
function trimPrefill(turn: Turn | undefined): void {
  if (turn?.role !== 'assistant' || typeof turn.content === 'string') return
  const last = turn.content.at(-1)
  if (last?.['type'] !== 'text' || typeof last['text'] !== 'string') return
  turn.content = [...turn.content.slice(0, -1), { ...last, text: last['text'].trimEnd() }]
}

export function* decodeConversation(
  { system, messages }: JsonObject,
  lookup: ToolLookup,
): Steps<Message[]> {
  const top = system === undefined ? [] : [decodeSystem(system)]
  const said = top.filter(({ content }) => content.length > 0)
  const turns = joinResults(objectsIn(messages))
  return [...said, ...(yield* flatMapSteps(turns, (turn) => decodeTurn(turn, lookup)))]
}

function decodeSystem(system: JsonValue): Message {
  const { blocks, plain } = readSystem(system)
  if (typeof system === 'string' && blocks === plain) return { role: 'system', content: system }
  const content = decodeContent([...plain])
  return { role: 'system', content, ...keepContent(DIALECT, blocks, encodeContent(content)) }
}

/** Results of one turn that came in more than one message belong together. */
function joinResults(turns: readonly JsonObject[]): JsonObject[] {
  return runsOf(turns, (run, turn) => {
    const last = run.at(-1)
    return last !== undefined && isResults(turn, 'some') && isResults(last, 'every')
  }).flatMap((run) => {
    if (run.length === 1) return run
    return [{ ...run[0], content: run.flatMap(({ content }) => objectsIn(content)) }]
  })
}

function isResults({ role, content }: JsonObject, which: 'every' | 'some'): boolean {
  if (role !== 'user' || typeof content === 'string') return false
  const blocks = objectsIn(content)
  return blocks.length > 0 && blocks[which](isResult)
}

function isResult(block: JsonValue): boolean {
  return isJsonObject(block) && block['type'] === 'tool_result'
}

function decodeTurn({ role, content }: JsonObject, lookup: ToolLookup): Message[] {
  if (role === 'assistant') return [decodeAssistant(content)]
  if (role === 'system' || role === 'developer') return [decodePlain('system', content)]
  const blocks = objectsIn(content)
  const results = blocks.filter(isResult)
  if (results.length === 0) return [decodePlain('user', content)]
  const said = blocks.filter((block) => !isResult(block))
  return [decodeResults(results, lookup), ...(said.length > 0 ? [decodePlain('user', said)] : [])]
}

function decodePlain(role: 'system' | 'user', content: JsonValue | undefined): Message {
  const said = decodeContent(content)
  if (typeof content === 'string') return { role, content: said }
  return { role, content: said, ...keepContent(DIALECT, objectsIn(content), encodeContent(said)) }
}

function decodeResults(blocks: readonly JsonObject[], lookup: ToolLookup): Message {
  const toolResults = blocks.map((block) => decodeResult(block, lookup))
  return {
    role: 'tool',
    content: '',
    toolResults,
    ...keepContent(DIALECT, blocks, toolResults.map(encodeResult), (block) => [plainResult(block)]),
  }
}
