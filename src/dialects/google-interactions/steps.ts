/** Conversations as steps, both ways. */

import type { CodecOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, Part } from '../../core/model.ts'
import { mapSteps, type Steps } from '../../core/steps.ts'
import { type AssistantBlocks, type BlockKind, createAssistantBlocks } from '../assistant-blocks.ts'
import { objectsIn } from '../history-call.ts'
import { keepContent, keptBlocks, saysTheSame } from '../kept-content.ts'
import { ownFields } from '../request-fields.ts'
import { decodeContent, encodeContent } from './content.ts'
import { decodeResult, encodeResult } from './results.ts'

const DIALECT = 'google-interactions'

export const assistantSteps: AssistantBlocks = createAssistantBlocks({
  dialect: DIALECT,
  kindOf,
  encodeContent: (content) => outputSteps(encodeContent(content)),
  encodeCall: ({ id, name, arguments: args, provider = {} }) => ({
    type: 'function_call',
    id,
    name,
    arguments: args,
    ...signatureOf(provider),
  }),
  encodeReasoning: (text) => ({ type: 'thought', summary: [{ type: 'text', text }] }),
  withId: (step, id) => ({ ...step, id }),
})

/** What goes back with a call. */
export function signatureOf({ signature }: Partial<JsonObject>): JsonObject {
  return typeof signature === 'string' ? { signature } : {}
}

function outputSteps(content: JsonObject[]): JsonObject[] {
  return content.length > 0 ? [{ type: 'model_output', content }] : []
}

function kindOf({ type, signature, content }: JsonObject): BlockKind {
  if (type === 'function_call') return 'call'
  if (type === 'thought') return signature ? 'signed' : 'unsigned'
  if (type !== 'model_output') return 'foreign'
  return objectsIn(content).length > 0 ? 'other' : 'blank'
}

/** The fields of a request that hold the conversation. */
export function encodeConversation(
  messages: readonly Message[],
  options: CodecOptions = {},
): JsonObject {
  const start = messages.findIndex(({ role }) => role !== 'system')
  const system = messages.slice(0, start === -1 ? messages.length : start)
  const instruction = system.map(({ content }) => wordsOf(content)).join('\n\n')
  const input = messages.slice(system.length).flatMap((message) => encodeMessage(message, options))
  return { ...(instruction !== '' && { system_instruction: instruction }), input }
}

function encodeMessage(message: Message, options: CodecOptions): JsonObject[] {
  ownFields(DIALECT, message.extra, options)
  const { role, content, toolResults = [] } = message
  if (role === 'assistant') return assistantSteps.encodeHistory(message, options)
  const own = kept(message)
  if (role === 'tool') {
    return (
      own?.map((step, at) => ({ ...step, call_id: toolResults[at]?.callId ?? '' })) ??
      toolResults.map(encodeResult)
    )
  }
  if (role === 'user') return own ?? [userStep(content)]
  options.report?.({
    code: 'not-expressible',
    message: 'a system message inside the conversation goes to the model as words of the user',
  })
  return [userStep(`<system>${wordsOf(content)}</system>`)]
}

function userStep(content: Message['content']): JsonObject {
  const parts = encodeContent(content)
  return { type: 'user_input', content: parts.length > 0 ? parts : [{ type: 'text', text: '' }] }
}

function wordsOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

/** The steps that a message keeps, when they still say what it says. */
function kept(message: Message): JsonObject[] | undefined {
  const steps = keptBlocks(DIALECT, message)
  if (steps.length === 0) return undefined
  const same = message.role === 'tool' ? resultMessage(steps) : userMessage(steps)
  return saysTheSame(same, message) ? steps : undefined
}

function userMessage([step]: readonly JsonObject[]): Message {
  return { role: 'user', content: decodeContent(step?.['content']) }
}

function resultMessage(steps: readonly JsonObject[]): Message {
  return { role: 'tool', content: '', toolResults: steps.map(decodeResult) }
}

/** A conversation from the `input` of a request. */
export function* decodeInput(input: JsonValue | undefined): Steps<Message[]> {
  const runs: { readonly kind: Kind; readonly steps: JsonObject[] }[] = []
  for (const step of stepsOf(input)) {
    const kind = kindOfStep(step)
    const last = runs.at(-1)
    if (last?.kind === kind && kind !== 'user') last.steps.push(step)
    else runs.push({ kind, steps: [step] })
  }
  return yield* mapSteps(runs, ({ kind, steps }) => decodeRun(kind, steps))
}

/** What a user says, results of one turn, or steps of one turn of the model. */
type Kind = 'user' | 'results' | 'turn'

function kindOfStep({ type }: JsonObject): Kind {
  if (type === 'user_input') return 'user'
  return type === 'function_result' ? 'results' : 'turn'
}

function decodeRun(kind: Kind, steps: readonly JsonObject[]): Message {
  if (kind === 'turn') return decodeTurn(steps)
  const message = kind === 'user' ? userMessage(steps) : resultMessage(steps)
  const rebuilt =
    kind === 'user' ? [userStep(message.content)] : (message.toolResults ?? []).map(encodeResult)
  return { ...message, ...keepContent(DIALECT, steps, rebuilt) }
}

function decodeTurn(steps: readonly JsonObject[]): Message {
  const message = assistantSteps.decode(steps)
  const spoken = decodeSpoken(steps)
  return spoken ? assistantSteps.keep(steps, { ...message, content: spoken }) : message
}

/** Text and data in their order; undefined where there is nothing but text. */
export function decodeSpoken(steps: readonly JsonObject[]): readonly Part[] | undefined {
  const parts = steps.flatMap(({ type, content }) =>
    type === 'model_output' ? [decodeContent(content)].flat() : [],
  )
  if (parts.every((part) => typeof part === 'string' || part.type === 'text')) return undefined
  return parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part))
}

const CONTENT_STEP: ReadonlySet<JsonValue | undefined> = new Set([
  ...['text', 'image', 'audio', 'video', 'document'],
])

/** Input may be a text, a content, or a list of contents or of steps. */
export function stepsOf(input: JsonValue | undefined): JsonObject[] {
  if (typeof input === 'string') return [userStep(input)]
  const entries = isJsonObject(input) ? [input] : objectsIn(input)
  const isContent = entries.length > 0 && entries.every(({ type }) => CONTENT_STEP.has(type))
  if (isContent) return [{ type: 'user_input', content: entries }]
  return entries.flatMap(withoutResults)
}

/** Some clients put results among what the user says. */
function withoutResults(step: JsonObject): JsonObject[] {
  if (step['type'] !== 'user_input') return [step]
  const { content } = step
  if (typeof content === 'string') return [userStep(content)]
  const parts = objectsIn(content)
  const results = parts.filter(({ type }) => type === 'function_result')
  if (results.length === 0) return [step]
  const words = parts.filter(({ type }) => type !== 'function_result')
  return [...results, ...(words.length > 0 ? [{ ...step, content: words }] : [])]
}
