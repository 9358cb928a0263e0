/**
 * Reasoning in OpenAI's chat dialect. OpenAI has an effort; services that speak its dialect have other
 * forms, and say so in their quirks:
 *
 *     {"reasoning_effort": "high"}
 *     {"reasoning": {"effort": "high", "exclude": true}}              OpenRouter; or "max_tokens", "enabled"
 *     {"thinking": {"type": "enabled"}}                               DeepSeek, Z.AI, Moonshot
 *     {"enable_thinking": true, "thinking_budget": 8192}              Alibaba
 *     {"chat_template_kwargs": {"enable_thinking": true}}             vLLM, SGLang, llama.cpp
 */
import type { ChatRequest, Reasoning, ReasoningEffort } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, ReasoningStyle } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import {
  budgetOf,
  effortOf,
  isOff,
  nearestEffort,
  readEffort,
  reasoningOfEffort,
  reportNoSummary,
  saysHowMuch,
} from '../reasoning.ts'
import { reportLeftOut, valueAt, withoutPlaces } from '../request-fields.ts'

const DIALECT = 'openai-chat'

/** What OpenAI's models take; the first that fits counts, and other models take any. */
const EFFORTS: readonly (readonly [models: RegExp, efforts: readonly ReasoningEffort[]])[] = [
  [/^(?:.*\/)?(?:gpt-[34]|chatgpt|gpt-5-chat)/, []],
  [/^(?:.*\/)?(?:o\d|gpt-oss)/, ['low', 'medium', 'high']],
  [/^(?:.*\/)?gpt-5(?!\.)/, ['minimal', 'low', 'medium', 'high']],
  [/^(?:.*\/)?gpt-5\.1(?!\d)/, ['none', 'low', 'medium', 'high']],
  [/^(?:.*\/)?gpt-5\.[2-5](?!\d)/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^(?:.*\/)?gpt-[5-9]/, ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
]

/** Servers of open models check the word, and know these. */
const OPEN_EFFORTS = ['low', 'medium', 'high'] as const

/** The effort that an OpenAI model takes; undefined, and reported, for a model that takes none. */
export function openaiEffort(
  reasoning: Reasoning,
  model: string,
  { report }: EncodeOptions,
): ReasoningEffort | undefined {
  const wanted = isOff(reasoning) ? 'none' : effortOf(reasoning, 'medium')
  const [, allowed] = EFFORTS.find(([models]) => models.test(model)) ?? []
  if (!allowed || wanted === undefined) return wanted
  const effort = nearestEffort(wanted, allowed)
  if (effort === wanted) return effort
  if (effort !== undefined) {
    const message = `${model} has no reasoning effort \`${wanted}\`; it was asked for \`${effort}\``
    report?.({ code: 'not-expressible', message })
  } else if (wanted !== 'none') reportLeftOut('reasoning_effort', model, { report })
  return effort
}

type Write = (reasoning: Reasoning, model: string, options: EncodeOptions) => JsonObject

const WRITERS: Readonly<Record<ReasoningStyle, Write>> = {
  effort(reasoning, model, options) {
    reportNoSummary(reasoning, DIALECT, options)
    const effort = openaiEffort(reasoning, model, options)
    return effort === undefined ? {} : { reasoning_effort: effort }
  },
  reasoning: (reasoning) => ({ reasoning: openrouterReasoning(reasoning) }),
  thinking(reasoning, _, options) {
    reportNoSummary(reasoning, 'the service', options)
    if (isOff(reasoning)) return { thinking: { type: 'disabled' } }
    if (effortOf(reasoning)) reportLeftOut('reasoning.effort', 'the service', options)
    return { thinking: { type: 'enabled' } }
  },
  enable_thinking(reasoning, _, options) {
    reportNoSummary(reasoning, 'the service', options)
    if (isOff(reasoning)) return { enable_thinking: false }
    const budget = budgetOf(reasoning)
    return { enable_thinking: true, ...(budget !== undefined && { thinking_budget: budget }) }
  },
  chat_template_kwargs(reasoning, _, options) {
    reportNoSummary(reasoning, 'the service', options)
    if (isOff(reasoning)) return { chat_template_kwargs: { enable_thinking: false } }
    const effort = effortOf(reasoning)
    return {
      chat_template_kwargs: { enable_thinking: true },
      ...(effort && { reasoning_effort: nearestEffort(effort, OPEN_EFFORTS) ?? effort }),
    }
  },
  none(reasoning, _, options) {
    if (!isOff(reasoning)) reportLeftOut('reasoning_effort', 'the service', options)
    return {}
  },
}

/** OpenRouter takes an effort or a budget, not both. */
function openrouterReasoning(reasoning: Reasoning): JsonObject {
  const { budgetTokens, effort, summary } = reasoning
  const shown = summary === undefined ? {} : { exclude: summary === 'none' }
  if (isOff(reasoning)) return { effort: 'none', ...shown }
  if (effort !== undefined) return { effort, ...shown }
  if (budgetTokens !== undefined) return { max_tokens: budgetTokens, ...shown }
  return { ...(reasoning.enabled && { enabled: true }), ...shown }
}

export function encodeReasoning(
  { reasoning, model }: Pick<ChatRequest, 'reasoning' | 'model'>,
  options: EncodeOptions,
): JsonObject {
  if (!reasoning) return {}
  const style = options.quirks?.reasoning ?? 'effort'
  if (style !== 'reasoning' && !saysHowMuch(reasoning)) {
    reportNoSummary(reasoning, DIALECT, options)
    return {}
  }
  return WRITERS[style](reasoning, model, options)
}

type Read = (value: JsonValue) => Reasoning | undefined

/** Every form, from the weakest to the strongest: where a request has several, the last one counts. */
const READERS: readonly (readonly [place: string, read: Read])[] = [
  ['chat_template_kwargs.enable_thinking', readSwitch],
  ['chat_template_kwargs.thinking', readSwitch],
  ['enable_thinking', readSwitch],
  ['thinking_budget', readBudget],
  ['thinking', readThinking],
  ['reasoning', readOpenrouter],
  ['reasoning_effort', readOpenaiEffort],
]

function readSwitch(value: JsonValue): Reasoning | undefined {
  return typeof value === 'boolean' ? { enabled: value } : undefined
}

function readBudget(value: JsonValue): Reasoning | undefined {
  return typeof value === 'number' ? { budgetTokens: value } : undefined
}

function readThinking(value: JsonValue): Reasoning | undefined {
  const { type, budget_tokens: budget } = (isJsonObject(value) ? value : {}) as Partial<JsonObject>
  if (type === 'disabled') return { enabled: false }
  if (typeof budget === 'number') return { budgetTokens: budget }
  return type === 'enabled' || type === 'adaptive' || type === 'auto'
    ? { enabled: true }
    : undefined
}

function readOpenrouter(value: JsonValue): Reasoning | undefined {
  if (!isJsonObject(value)) return undefined
  const { effort, max_tokens: budget, exclude, enabled } = value as Partial<JsonObject>
  const word = readEffort(effort)
  return {
    ...(typeof enabled === 'boolean' && !word && typeof budget !== 'number' && { enabled }),
    ...(word && reasoningOfEffort(word)),
    ...(typeof budget === 'number' && { budgetTokens: budget }),
    ...(typeof exclude === 'boolean' && { summary: exclude ? 'none' : 'auto' }),
  }
}

function readOpenaiEffort(value: JsonValue): Reasoning | undefined {
  const effort = readEffort(value)
  return effort && reasoningOfEffort(effort)
}

/** The reasoning that a body asks for, in any form, and the body without it. */
export function takeReasoning(
  body: JsonObject,
  { settings }: DecodeRequestOptions = {},
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  if (settings === 'keep') return { rest: body }
  const found = READERS.flatMap(([place, read]) => {
    const value = valueAt(body, place)
    const reasoning = value === undefined ? undefined : read(value)
    return reasoning ? [{ place, reasoning }] : []
  })
  if (found.length === 0) return { rest: body }
  const merged: Reasoning = Object.assign({}, ...found.map(({ reasoning }) => reasoning))
  return {
    reasoning: plain(merged),
    rest: withoutPlaces(
      body,
      found.map(({ place }) => place),
    ),
  }
}

/** Without a switch that an effort or a budget already implies. */
function plain({ enabled, ...rest }: Reasoning): Reasoning {
  const isImplied = enabled === true && (rest.effort ?? rest.budgetTokens) !== undefined
  return enabled === undefined || isImplied ? rest : { enabled, ...rest }
}
