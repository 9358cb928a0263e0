/** The models there are, as the clients of each API ask for them. */
import type { JsonObject } from '../../core/json/value.ts'
import type { ModelFacts } from '../../providers/model-info.ts'
import { DEMO_LISTINGS, type DemoListing } from '../demo/demo-listing.ts'
import type { ListedModel } from '../directory.ts'
import { GatewayError } from '../gateway-error.ts'
import type { GatewayReply } from '../http.ts'
import { askedFacts } from '../model-facts.ts'
import { chainFor, json, modelIn, type PageVisit } from './page.ts'
import { cursorsOf, type Extract, extractOf } from './paging.ts'

async function visible({ directory, key, query }: PageVisit): Promise<readonly ListedModel[]> {
  return directory.listFor(key, { demo: demoIn(query) })
}

/** `?demo=all`, `few` or `none` */
function demoIn(query: URLSearchParams): DemoListing | undefined {
  const wanted = query.get('demo')
  if (wanted === null) return undefined
  const listing = DEMO_LISTINGS.find((one) => one === wanted)
  if (listing) return listing
  throw new GatewayError('invalid_request', `demo must be one of ${DEMO_LISTINGS.join(', ')}`)
}

/** One model, after its provider was asked about it. */
async function described(visit: PageVisit, id: string): Promise<ListedModel> {
  const chain = await chainFor(visit, id)
  const [first] = chain.members
  const listed = visit.directory.list('all').find((one) => one.id === id)
  const provider = listed?.provider ?? (first ? chain.targetOf(first.client).name : 'toolglot')
  return { id, provider, facts: { ...listed?.facts, ...(await askedFacts(chain, visit.signal)) } }
}

function isAnthropic({ headers }: PageVisit): boolean {
  return headers['anthropic-version'] !== undefined
}

export async function modelsPage(visit: PageVisit): Promise<GatewayReply> {
  const models = await visible(visit)
  return json(isAnthropic(visit) ? anthropicList(models, visit) : openaiList(models, visit))
}

export async function modelPage(visit: PageVisit): Promise<GatewayReply> {
  const model = await described(visit, modelIn(visit))
  return json(isAnthropic(visit) ? anthropicModel(model) : openaiModel(model))
}

// ── OpenAI ──────────────────────────────────────────────────────────────────────────────────────

/** OpenAI itself sends the whole list; a client that wants less says so in the way of its other lists. */
function openaiList(models: readonly ListedModel[], { query }: PageVisit): JsonObject {
  const extract = extractOf(models, cursorsOf(query, { limit: 'limit', after: 'after' }))
  return {
    object: 'list',
    data: extract.models.map(openaiModel),
    ...(query.has('limit') && { has_more: extract.hasMore }),
  }
}

/** The names of the fields are those of vLLM, OpenRouter and others that say more than OpenAI does. */
function openaiModel({ id, provider, facts }: ListedModel): JsonObject {
  const { contextWindow, maxOutputTokens, vision, reasoning } = facts
  return {
    id,
    object: 'model',
    created: 0,
    owned_by: provider,
    ...(contextWindow !== undefined && {
      context_length: contextWindow,
      max_model_len: contextWindow,
    }),
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    ...(vision !== undefined && { supports_image_input: vision }),
    ...(reasoning !== undefined && { supports_reasoning: reasoning }),
  }
}

// ── Anthropic ───────────────────────────────────────────────────────────────────────────────────

function anthropicList(models: readonly ListedModel[], { query }: PageVisit): JsonObject {
  const names = { limit: 'limit', after: 'after_id', before: 'before_id' }
  const { models: shown, hasMore }: Extract = extractOf(models, cursorsOf(query, names))
  return {
    data: shown.map(anthropicModel),
    has_more: hasMore,
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
  }
}

function anthropicModel({ id, facts }: ListedModel): JsonObject {
  const { contextWindow, maxOutputTokens } = facts
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
    ...(contextWindow !== undefined && { max_input_tokens: contextWindow }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    ...anthropicCapabilities(facts),
  }
}

function anthropicCapabilities({ vision, reasoning }: ModelFacts): JsonObject {
  const capabilities = {
    ...(vision !== undefined && { image_input: { supported: vision } }),
    ...(reasoning !== undefined && { thinking: { supported: reasoning } }),
  }
  return Object.keys(capabilities).length > 0 ? { capabilities } : {}
}

// ── Gemini ──────────────────────────────────────────────────────────────────────────────────────

export async function geminiModelsPage(visit: PageVisit): Promise<GatewayReply> {
  const cursors = cursorsOf(visit.query, { limit: 'pageSize', after: 'pageToken' })
  const { models, hasMore } = extractOf(await visible(visit), cursors)
  const last = models.at(-1)?.id
  return json({
    models: models.map(geminiModel),
    ...(hasMore && last !== undefined && { nextPageToken: last }),
  })
}

export async function geminiModelPage(visit: PageVisit): Promise<GatewayReply> {
  return json(geminiModel(await described(visit, modelIn(visit))))
}

function geminiModel({ id, facts }: ListedModel): JsonObject {
  const { contextWindow, maxOutputTokens, reasoning } = facts
  return {
    name: `models/${id}`,
    displayName: id,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    ...(contextWindow !== undefined && { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens !== undefined && { outputTokenLimit: maxOutputTokens }),
    ...(reasoning !== undefined && { thinking: reasoning }),
  }
}

// ── Ollama ──────────────────────────────────────────────────────────────────────────────────────

const MODEL_DETAILS = {
  format: 'gguf',
  family: 'toolglot',
  families: ['toolglot'],
  parameter_size: '',
  quantization_level: '',
} as const

export async function tagsPage(visit: PageVisit): Promise<GatewayReply> {
  const models = (await visible(visit)).map(({ id, facts }) => ({
    name: id,
    model: id,
    modified_at: '1970-01-01T00:00:00Z',
    size: 0,
    // As long as a real one: some clients show the first twelve characters.
    digest: '0'.repeat(64),
    details: { ...MODEL_DETAILS, families: [...MODEL_DETAILS.families] },
    capabilities: ollamaCapabilities(facts),
  }))
  return json({ models })
}

/** Clients of Ollama ask what a model can do before they offer tools to it. */
export async function showPage(visit: PageVisit): Promise<GatewayReply> {
  const { model, name } = visit.body
  const id = typeof model === 'string' ? model : name
  if (typeof id !== 'string')
    throw new GatewayError('invalid_request', 'the body must have "model"')
  const { facts } = await described(visit, id)
  const { contextWindow } = facts
  return json({
    modelfile: '',
    parameters: '',
    template: '',
    details: { ...MODEL_DETAILS, families: [...MODEL_DETAILS.families] },
    model_info: {
      'general.architecture': 'toolglot',
      // Clients size their prompts by it, so a number that nobody knows is left out.
      ...(contextWindow !== undefined && { 'toolglot.context_length': contextWindow }),
    },
    capabilities: ollamaCapabilities(facts),
  })
}

/** Every model has tools here: those without get them in their system prompt. */
function ollamaCapabilities({ vision, reasoning }: ModelFacts): string[] {
  return ['completion', 'tools', ...(vision ? ['vision'] : []), ...(reasoning ? ['thinking'] : [])]
}
