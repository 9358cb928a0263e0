/**
 * Reasoning, which Converse leaves to each family of models:
 *
 *     {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 8192}}}
 *     {"additionalModelRequestFields": {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}}
 *     {"additionalModelRequestFields": {"reasoning_effort": "high"}}
 */
import type { ChatRequest, Reasoning } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { claudeVersion } from '../anthropic/claude-version.ts'
import {
  encodeThinking,
  goesOnWithoutThought,
  type TurnBlock,
  takeThinking,
  VAIN,
} from '../anthropic/thinking.ts'
import { objectsIn } from '../history-call.ts'
import {
  effortOf,
  isOff,
  nearestEffort,
  readEffort,
  reasoningOfEffort,
  reportNoSummary,
  saysHowMuch,
} from '../reasoning.ts'
import { mergedFields, reportLeftOut, valueAt, withoutPlaces } from '../request-fields.ts'

export const MODEL_FIELDS = 'additionalModelRequestFields'
const EFFORTS = ['low', 'medium', 'high'] as const

const NOVA = /nova-2/
const OPEN_AI = /gpt-oss/
/** Families without a setting that is known. */
const OTHERS = /(?:^|\.)(?:ai21|amazon|cohere|deepseek|google|meta|mistral|qwen|writer)\./

/** From Opus 4.7 on, Converse refuses to be told that a model shall not think. */
const LAST_SILENT = 4.06

/** The fields for the model, without the object around them. */
export function encodeReasoning(request: ChatRequest, options: EncodeOptions): JsonObject {
  const { reasoning, model } = request
  if (!reasoning || !saysHowMuch(reasoning)) return {}
  if (NOVA.test(model)) return { reasoningConfig: novaConfig(reasoning, options) }
  if (OPEN_AI.test(model)) {
    reportNoSummary(reasoning, model, options)
    const effort = effortOf(reasoning, isOff(reasoning) ? 'low' : 'medium')
    return effort ? { reasoning_effort: nearestEffort(effort, EFFORTS) ?? effort } : {}
  }
  const isAlwaysOn = isOff(reasoning) && claudeVersion(model) > LAST_SILENT
  if (OTHERS.test(model) || isAlwaysOn) {
    reportLeftOut(isAlwaysOn ? 'thinking: disabled' : 'reasoning', model, options)
    return {}
  }
  return encodeThinking(request, options)
}

function novaConfig(reasoning: Reasoning, options: EncodeOptions): JsonObject {
  reportNoSummary(reasoning, 'Nova', options)
  if (isOff(reasoning)) return { type: 'disabled' }
  const effort = effortOf(reasoning, 'medium')
  return {
    type: 'enabled',
    maxReasoningEffort: nearestEffort(effort ?? 'medium', EFFORTS) ?? 'low',
  }
}

const BLOCKS: Readonly<Record<TurnBlock, string>> = {
  result: 'toolResult',
  call: 'toolUse',
  thought: 'reasoningContent',
}

/** The body without the wish to think, when a turn goes on that began without, as for Anthropic. */
export function withoutVainThinking(body: JsonObject, { report }: EncodeOptions): JsonObject {
  if (valueAt(body, `${MODEL_FIELDS}.thinking.type`) !== 'enabled') return body
  const messages = objectsIn(body['messages'])
  const has = ({ content }: JsonObject, block: TurnBlock): boolean =>
    objectsIn(content).some((one) => BLOCKS[block] in one)
  if (!goesOnWithoutThought(messages, has)) return body
  report?.({ code: 'not-expressible', message: VAIN })
  return withoutPlaces(body, [`${MODEL_FIELDS}.thinking`])
}

/** The reasoning that a body asks for, in the form of any family, and the body without it. */
export function takeReasoning(
  body: JsonObject,
  options: DecodeRequestOptions,
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  const fields = body[MODEL_FIELDS]
  if (options.settings === 'keep' || !isJsonObject(fields)) return { rest: body }
  const {
    reasoningConfig,
    reasoning_config: older,
    reasoning_effort: word,
  } = fields as Partial<JsonObject>
  const effort = readEffort(word)
  if (effort) return taken(body, 'reasoning_effort', reasoningOfEffort(effort))
  const nova = readNova(reasoningConfig)
  if (nova) return taken(body, 'reasoningConfig', nova)
  // An older name for the same.
  const named = isJsonObject(older) ? mergedFields({ thinking: older }, fields) : fields
  const { reasoning, rest } = takeThinking(named, options)
  if (!reasoning) return { rest: body }
  const left = withoutPlaces(rest, isJsonObject(older) ? ['reasoning_config'] : [])
  const { [MODEL_FIELDS]: _, ...others } = body
  return {
    reasoning,
    rest: Object.keys(left).length > 0 ? { ...others, [MODEL_FIELDS]: left } : others,
  }
}

function taken(
  body: JsonObject,
  key: string,
  reasoning: Reasoning,
): { readonly reasoning: Reasoning; readonly rest: JsonObject } {
  return { reasoning, rest: withoutPlaces(body, [`${MODEL_FIELDS}.${key}`]) }
}

function readNova(config: JsonValue | undefined): Reasoning | undefined {
  if (!isJsonObject(config)) return undefined
  if (config['type'] === 'disabled') return { enabled: false }
  const effort = readEffort(valueAt(config, 'maxReasoningEffort'))
  return effort ? { effort } : { enabled: true }
}
