/** The models there are, as the clients of each API ask for them. */
import type { JsonObject } from '../../core/json/value.ts'
import type { ModelFacts } from '../../providers/model-info.ts'
import { mayUse } from '../access.ts'
import type { ListedModel } from '../directory.ts'
import { GatewayError } from '../gateway-error.ts'
import type { GatewayReply } from '../http.ts'
import { askedFacts, knownFacts } from '../model-facts.ts'
import { askedModel, json, type PageVisit } from './page.ts'

function visible({ directory, key }: PageVisit): readonly ListedModel[] {
  return directory.list().filter(({ id }) => mayUse(key, id))
}

export function modelsPage(visit: PageVisit): GatewayReply {
  const models = visible(visit)
  const isAnthropic = visit.headers['anthropic-version'] !== undefined
  const known = models.map((model) => ({ model, facts: factsOf(visit, model) }))
  if (!isAnthropic) {
    return json({
      object: 'list',
      data: known.map(({ model, facts }) => openaiModel(model, facts)),
    })
  }
  const [first, last] = [models[0]?.id ?? null, models.at(-1)?.id ?? null]
  const data = known.map(({ model, facts }) => anthropicModel(model, facts))
  return json({ data, has_more: false, first_id: first, last_id: last })
}

export async function modelPage(visit: PageVisit): Promise<GatewayReply> {
  const model = askedModel(visit)
  const facts = await askedFacts(visit.directory.find(model.id, visit.key), visit.signal)
  const isAnthropic = visit.headers['anthropic-version'] !== undefined
  return json(isAnthropic ? anthropicModel(model, facts) : openaiModel(model, facts))
}

/** What is known without asking; a model that is listed but cannot be opened is listed all the same. */
function factsOf({ directory, key }: PageVisit, { id }: ListedModel): ModelFacts {
  try {
    return knownFacts(directory.find(id, key))
  } catch {
    return {}
  }
}

function openaiModel({ id, provider }: ListedModel, facts: ModelFacts): JsonObject {
  const { contextWindow, maxOutputTokens } = facts
  return {
    id,
    object: 'model',
    created: 0,
    owned_by: provider,
    ...(contextWindow !== undefined && { context_length: contextWindow }),
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
  }
}

function anthropicModel({ id }: ListedModel, facts: ModelFacts): JsonObject {
  const { contextWindow, maxOutputTokens } = facts
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
    ...(contextWindow !== undefined && { max_input_tokens: contextWindow }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
  }
}

export function geminiModelsPage(visit: PageVisit): GatewayReply {
  const models = visible(visit).map((model) => geminiModel(model, factsOf(visit, model)))
  return json({ models })
}

export async function geminiModelPage(visit: PageVisit): Promise<GatewayReply> {
  const model = askedModel(visit)
  const facts = await askedFacts(visit.directory.find(model.id, visit.key), visit.signal)
  return json(geminiModel(model, facts))
}

function geminiModel({ id }: ListedModel, facts: ModelFacts): JsonObject {
  const { contextWindow, maxOutputTokens } = facts
  return {
    name: `models/${id}`,
    displayName: id,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    ...(contextWindow !== undefined && { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens !== undefined && { outputTokenLimit: maxOutputTokens }),
  }
}

const MODEL_DETAILS = {
  format: 'gguf',
  family: 'toolglot',
  families: ['toolglot'],
  parameter_size: '',
  quantization_level: '',
} as const

export function tagsPage(visit: PageVisit): GatewayReply {
  const models = visible(visit).map(({ id }) => ({
    name: id,
    model: id,
    modified_at: '1970-01-01T00:00:00Z',
    size: 0,
    // As long as a real one: some clients show the first twelve characters.
    digest: '0'.repeat(64),
    details: { ...MODEL_DETAILS, families: [...MODEL_DETAILS.families] },
  }))
  return json({ models })
}

/** Clients of Ollama want a number, also where nobody knows it. */
const SOME_WINDOW = 131_072

/** Clients of Ollama ask what a model can do before they offer tools to it. */
export async function showPage({ body, signal, directory, key }: PageVisit): Promise<GatewayReply> {
  const { model, name } = body
  const id = typeof model === 'string' ? model : name
  if (typeof id !== 'string')
    throw new GatewayError('invalid_request', 'the body must have "model"')
  const facts = await askedFacts(directory.find(id, key), signal)
  const { contextWindow = SOME_WINDOW, vision, reasoning } = facts
  return json({
    modelfile: '',
    parameters: '',
    template: '',
    details: { ...MODEL_DETAILS, families: [...MODEL_DETAILS.families] },
    model_info: { 'general.architecture': 'toolglot', 'toolglot.context_length': contextWindow },
    // Every model has tools here: those without get them in their system prompt.
    capabilities: [
      'completion',
      'tools',
      ...(vision ? ['vision'] : []),
      ...(reasoning ? ['thinking'] : []),
    ],
  })
}
