/**
 * Reasoning as Gemini has it: a level, or a budget in older models, and never both.
 *
 *     {"thinkingConfig": {"thinkingLevel": "high", "includeThoughts": true}}
 *     {"thinkingConfig": {"thinkingBudget": 8192}}
 */
import type { Reasoning, ReasoningEffort } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { budgetOf, effortOf, isOff, nearestEffort, readEffort } from '../reasoning.ts'
import { valueAt, withoutPlaces } from '../request-fields.ts'

/** The model decides how much to think. */
const DYNAMIC = -1

const LEVELS = ['minimal', 'low', 'medium', 'high'] as const
type Level = (typeof LEVELS)[number]

/** The level for an effort. */
export function levelOf(effort: ReasoningEffort): Level {
  return nearestEffort(effort, LEVELS) ?? 'high'
}

/** The generation of a model's name; 0 for other names. */
function generation(model: string): number {
  return Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0)
}

export function encodeThinking(
  reasoning: Reasoning | undefined,
  model: string,
  options: EncodeOptions,
): JsonObject {
  if (!reasoning) return {}
  const { summary } = reasoning
  const config = {
    ...encodeAmount(reasoning, model, options),
    ...(summary && { includeThoughts: summary !== 'none' }),
  }
  return Object.keys(config).length > 0 ? { thinkingConfig: config } : {}
}

/** Budgets that models take. */
const BUDGETS = [
  { models: /gemini-2\.5-pro/, min: 128, max: 32_768 },
  { models: /gemini-2\.5-flash/, min: 0, max: 24_576 },
] as const
const ANY_BUDGET = { min: 0, max: Number.POSITIVE_INFINITY } as const

function encodeAmount(reasoning: Reasoning, model: string, { report }: EncodeOptions): JsonObject {
  const version = generation(model)
  const takesLevels = version >= 3
  const { min, max } = BUDGETS.find(({ models }) => models.test(model)) ?? ANY_BUDGET
  if (isOff(reasoning)) {
    if (!takesLevels && min === 0) return { thinkingBudget: 0 }
    const message = `${model} always thinks; it was asked for the least`
    report?.({ code: 'not-expressible', message })
    return takesLevels ? { thinkingLevel: 'minimal' } : { thinkingBudget: min }
  }
  const effort = effortOf(reasoning)
  const budget = budgetOf(reasoning)
  const isLevel = takesLevels || (version === 0 && reasoning.budgetTokens === undefined)
  if (isLevel && effort) return { thinkingLevel: levelOf(effort) }
  if (budget !== undefined) {
    const fitted = Math.max(min, Math.min(max, budget))
    if (reasoning.budgetTokens !== undefined && fitted !== budget) {
      const message = `${model} takes ${min} to ${max} tokens for reasoning; it gets ${fitted}`
      report?.({ code: 'not-expressible', message })
    }
    return { thinkingBudget: fitted }
  }
  return reasoning.enabled ? { thinkingBudget: DYNAMIC } : {}
}

const CONFIG = 'generationConfig.thinkingConfig'

export function takeThinking(
  body: JsonObject,
  { settings }: DecodeRequestOptions,
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  const config = valueAt(body, CONFIG)
  if (settings === 'keep' || !isJsonObject(config)) return { rest: body }
  const { thinkingBudget, thinkingLevel, includeThoughts } = config as Partial<JsonObject>
  const effort = readEffort(thinkingLevel)
  const read: readonly (readonly [key: string, found: Reasoning | undefined])[] = [
    ['thinkingBudget', typeof thinkingBudget === 'number' ? ofBudget(thinkingBudget) : undefined],
    ['thinkingLevel', effort && effort !== 'none' ? { effort } : undefined],
    [
      'includeThoughts',
      typeof includeThoughts === 'boolean'
        ? { summary: includeThoughts ? 'auto' : 'none' }
        : undefined,
    ],
  ]
  const found = read.filter(([, reasoning]) => reasoning !== undefined)
  if (found.length === 0) return { rest: body }
  return {
    reasoning: Object.assign({}, ...found.map(([, reasoning]) => reasoning)),
    rest: withoutPlaces(
      body,
      found.map(([key]) => `${CONFIG}.${key}`),
    ),
  }
}

function ofBudget(tokens: number): Reasoning {
  if (tokens === 0) return { enabled: false }
  return tokens < 0 ? { enabled: true } : { budgetTokens: tokens }
}
