/** The models there are, as the clients of each API ask for them. */
import type { JsonObject } from '../../core/json/value.ts'
import { checkModel } from '../access.ts'
import type { ListedModel } from '../directory.ts'
import { GatewayError } from '../gateway-error.ts'
import type { GatewayReply } from '../http.ts'
import { starIn } from '../model-names.ts'
import { askedModel, json, type PageVisit, readJson } from './page.ts'

function visible({ directory, key }: PageVisit): readonly ListedModel[] {
  const { models } = key ?? {}
  if (!models) return directory.list()
  return directory.list().filter(({ id }) => models.some((one) => starIn(id, one) !== undefined))
}

export function modelsPage(visit: PageVisit): GatewayReply {
  const models = visible(visit)
  const isAnthropic = visit.request.headers['anthropic-version'] !== undefined
  if (!isAnthropic) return json({ object: 'list', data: models.map(openaiModel) })
  const [first, last] = [models[0]?.id ?? null, models.at(-1)?.id ?? null]
  const data = models.map(anthropicModel)
  return json({ data, has_more: false, first_id: first, last_id: last })
}

export function modelPage(visit: PageVisit): GatewayReply {
  const model = askedModel(visit)
  const isAnthropic = visit.request.headers['anthropic-version'] !== undefined
  return json(isAnthropic ? anthropicModel(model) : openaiModel(model))
}

function openaiModel({ id, provider }: ListedModel): JsonObject {
  return { id, object: 'model', created: 0, owned_by: provider }
}

function anthropicModel({ id }: ListedModel): JsonObject {
  return { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }
}

export function geminiModelsPage(visit: PageVisit): GatewayReply {
  return json({ models: visible(visit).map(geminiModel) })
}

export function geminiModelPage(visit: PageVisit): GatewayReply {
  return json(geminiModel(askedModel(visit)))
}

function geminiModel({ id }: ListedModel): JsonObject {
  return {
    name: `models/${id}`,
    displayName: id,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
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

/** Clients of Ollama ask what a model can do before they offer tools to it. */
export async function showPage({ request, directory, key }: PageVisit): Promise<GatewayReply> {
  const { model, name } = await readJson(request)
  const id = typeof model === 'string' ? model : name
  if (typeof id !== 'string')
    throw new GatewayError('invalid_request', 'the body must have "model"')
  checkModel(key, id)
  directory.find(id)
  return json({
    modelfile: '',
    parameters: '',
    template: '',
    details: { ...MODEL_DETAILS, families: [...MODEL_DETAILS.families] },
    model_info: { 'general.architecture': 'toolglot', 'toolglot.context_length': 131072 },
    capabilities: ['completion', 'tools'],
  })
}
