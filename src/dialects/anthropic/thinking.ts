/**
 * When and how much Claude thinks. Older models have a budget, newer ones an effort:
 *
 *     {"thinking": {"type": "enabled", "budget_tokens": 8192}}
 *     {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}
 */
import type { ChatRequest, Reasoning } from '../../core/chat.ts'
import type { CodecOptions, DecodeRequestOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'
import { budgetOf, effortOf, isOff, nearestEffort, readEffort, saysHowMuch } from '../reasoning.ts'
import { valueAt, withoutPlaces } from '../request-fields.ts'
import { claudeVersion } from './claude-version.ts'

/** The API refuses smaller budgets. */
const MIN_BUDGET = 1024
/** The part of a reply that a budget may take when the limit of the reply leaves no room for it. */
const LARGEST_SHARE = 0.8

/** The first versions with an effort, and without a budget. */
const FIRST_ADAPTIVE = 4.06
const LAST_BUDGETED = 4.06

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const
const FIRST_EFFORTS = ['low', 'medium', 'high', 'max'] as const

/**
 * The fields that ask for reasoning, for Claude's own API and for others that pass them on. Unknown
 * models are asked in the way that needs no conversion.
 */
export function encodeThinking(request: ChatRequest, options: CodecOptions): JsonObject {
  const { reasoning, model } = request
  if (!reasoning || !saysHowMuch(reasoning)) return {}
  if (isOff(reasoning)) return { thinking: { type: 'disabled' }, ...keptEffort(request) }
  if (forcesCall(request)) {
    tell('Claude does not think where a tool must be called; reasoning was left out', options)
    return {}
  }
  const version = claudeVersion(model)
  const hasBudget = version === 0 || version <= LAST_BUDGETED
  const hasEffort = version === 0 || version >= FIRST_ADAPTIVE
  const isBudget = hasBudget && (!hasEffort || reasoning.budgetTokens !== undefined)
  return isBudget ? encodeBudget(request, reasoning, options) : encodeAdaptive(reasoning, version)
}

/** To turn thinking off says nothing about the effort, which is about the whole reply. */
function keptEffort({ reasoning }: ChatRequest): JsonObject {
  const { effort } = reasoning ?? {}
  const isSaid = effort !== undefined && effort !== 'none'
  return isSaid ? { output_config: { effort: nearestEffort(effort, EFFORTS) ?? 'low' } } : {}
}

function encodeAdaptive(reasoning: Reasoning, version: number): JsonObject {
  const effort = effortOf(reasoning)
  const { summary } = reasoning
  const allowed = version > 0 && version <= LAST_BUDGETED ? FIRST_EFFORTS : EFFORTS
  const display = summary && (summary === 'none' ? 'omitted' : 'summarized')
  return {
    thinking: { type: 'adaptive', ...(display && { display }) },
    ...(effort && { output_config: { effort: nearestEffort(effort, allowed) ?? 'low' } }),
  }
}

/** The budget is part of the limit of the reply, and smaller than it. */
function encodeBudget(
  { maxTokens }: ChatRequest,
  reasoning: Reasoning,
  options: CodecOptions,
): JsonObject {
  const wanted = budgetOf(reasoning) ?? budgetOf({ effort: 'medium' }) ?? MIN_BUDGET
  if (maxTokens !== undefined && maxTokens <= MIN_BUDGET) {
    tell(`a reply of ${maxTokens} tokens has no room for reasoning; it was left out`, options)
    return {}
  }
  const isTight = maxTokens !== undefined && wanted >= maxTokens
  const room = isTight ? Math.floor(maxTokens * LARGEST_SHARE) : wanted
  const budget = Math.max(MIN_BUDGET, room)
  if (budget !== reasoning.budgetTokens && (isTight || reasoning.budgetTokens !== undefined)) {
    tell(`a budget of ${wanted} tokens for reasoning does not fit; it is now ${budget}`, options)
  }
  return { thinking: { type: 'enabled', budget_tokens: budget } }
}

/** True when the model is not free to answer without a call. */
function forcesCall({ tools = [], toolChoice }: ChatRequest): boolean {
  if (tools.length === 0 || toolChoice === undefined) return false
  if (typeof toolChoice === 'string') return toolChoice === 'required'
  return 'name' in toolChoice || toolChoice.required === true
}

function tell(message: string, { report }: CodecOptions): void {
  report?.({ code: 'not-expressible', message })
}

/** True for a body that asks for thinking. */
export function asksForThinking({ thinking }: Partial<JsonObject>): boolean {
  const type = isJsonObject(thinking) ? thinking['type'] : undefined
  return type === 'enabled' || type === 'adaptive'
}

/** The reasoning that a body asks for, and the body without it. */
export function takeThinking(
  body: JsonObject,
  { settings }: DecodeRequestOptions,
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  if (settings === 'keep') return { rest: body }
  const effort = readEffort(valueAt(body, 'output_config.effort'))
  const budget = valueAt(body, 'thinking.budget_tokens')
  const display = valueAt(body, 'thinking.display')
  const isOn = asksForThinking(body)
  const isDisabled = valueAt(body, 'thinking.type') === 'disabled'
  const isPlainOn = isOn && effort === undefined && typeof budget !== 'number'
  const reasoning: Reasoning = {
    ...(effort && { effort }),
    ...(isOn && typeof budget === 'number' && { budgetTokens: budget }),
    ...(isPlainOn && { enabled: true }),
    ...(isDisabled && { enabled: false }),
    ...(isOn && isDisplay(display) && { summary: display === 'omitted' ? 'none' : 'auto' }),
  }
  if (Object.keys(reasoning).length === 0) return { rest: body }
  const places = [
    ...(effort ? ['output_config.effort'] : []),
    ...(isOn || isDisabled ? ['thinking.type', 'thinking.budget_tokens'] : []),
    ...(isOn && isDisplay(display) ? ['thinking.display'] : []),
  ]
  return { reasoning, rest: withoutPlaces(body, places) }
}

function isDisplay(value: JsonValue | undefined): boolean {
  return value === 'summarized' || value === 'omitted'
}

/**
 * The body without the wish to think, when a turn goes on that began without: such turns come from other
 * models, or lost their signatures, and Anthropic refuses to think in the middle of them.
 */
export function withoutVainThinking<T extends JsonObject>(body: T, { report }: CodecOptions): T {
  const { thinking, messages } = body as Record<string, JsonValue | undefined>
  const isAsked = isJsonObject(thinking) && thinking['type'] === 'enabled'
  if (!isAsked || !goesOnWithoutThought(objectsIn(messages), hasBlock)) return body
  tell(VAIN, { report })
  const { thinking: _, ...rest } = body
  // Only a field that T does not demand was left out.
  return rest as T
}

export const VAIN = 'a turn that began without thinking goes on without it'

export type TurnBlock = 'result' | 'call' | 'thought'

/** The last turn waits for results, and one of its messages has calls but no thought before them. */
export function goesOnWithoutThought(
  messages: readonly JsonObject[],
  has: (message: JsonObject, block: TurnBlock) => boolean,
): boolean {
  const begin = messages.findLastIndex(
    (message) => message['role'] === 'user' && !has(message, 'result'),
  )
  const open = messages.slice(begin + 1).filter(({ role }) => role === 'assistant')
  return open.some((message) => has(message, 'call') && !has(message, 'thought'))
}

const BLOCKS: Readonly<Record<TurnBlock, ReadonlySet<JsonValue | undefined>>> = {
  result: new Set(['tool_result']),
  call: new Set(['tool_use']),
  thought: new Set(['thinking', 'redacted_thinking']),
}

function hasBlock({ content }: JsonObject, block: TurnBlock): boolean {
  return objectsIn(content).some(({ type }) => BLOCKS[block].has(type))
}

/** The body with none of the thoughts of earlier turns. */
export function withoutThoughts(body: JsonObject): JsonObject {
  const messages = objectsIn(body['messages']).flatMap((message) => {
    const { role, content } = message as Record<string, JsonValue | undefined>
    if (role !== 'assistant' || !Array.isArray(content)) return [message]
    const said = objectsIn(content).filter(({ type }) => !BLOCKS.thought.has(type))
    if (said.length === content.length) return [message]
    return said.length > 0 ? [{ ...message, content: said }] : []
  })
  return withoutVainThinking({ ...body, messages }, {})
}

/** Details about thinking mean nothing, and are refused, where it is not asked for. */
export function withoutLooseThinking<T extends JsonObject>(body: T): T {
  const { thinking } = body as Partial<JsonObject>
  if (!isJsonObject(thinking) || thinking['type'] !== undefined) return body
  const { thinking: _, ...rest } = body
  // Only a field that T does not demand was left out.
  return rest as T
}
