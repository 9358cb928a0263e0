/** How each API asks for embeddings and answers with them. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import type { ApiId } from '../../providers/apis.ts'
import { reportedUsage } from './reported-usage.ts'
import { cannotSay, notARequest } from './translation.ts'
import { vectorIn, writtenVector } from './vectors.ts'

export interface EmbeddingQuestion {
  readonly texts: readonly string[]
  readonly dimensions: number | undefined
}

export interface Embeddings {
  readonly vectors: readonly (readonly number[])[]
  readonly inputTokens: number | undefined
}

/** An API that clients use. */
export interface EmbeddingCodec {
  readonly api: ApiId
  /** The fields of a request that other APIs have as well. */
  readonly carried: readonly string[]
  /** Throws a GatewayError for what is no request, and a ProviderError for inputs that only some providers take. */
  readQuestion(body: JsonObject): EmbeddingQuestion
  writeReply(embeddings: Embeddings, body: JsonObject, model: string): JsonObject
}

/** An API that providers serve. */
export interface EmbeddingTarget extends EmbeddingCodec {
  writeQuestion(question: EmbeddingQuestion, model: string): JsonObject
  /** Undefined when there are no vectors in it. */
  readReply(body: JsonObject): Embeddings | undefined
}

export const openaiEmbeddings: EmbeddingTarget = {
  api: 'openai-embeddings',
  carried: ['model', 'input', 'dimensions', 'encoding_format', 'user'],
  readQuestion: readInput,
  writeQuestion: ({ texts, dimensions }, model) => ({
    model,
    input: [...texts],
    encoding_format: 'float',
    ...(dimensions !== undefined && { dimensions }),
  }),
  readReply: (body) =>
    embeddingsIn(
      objectsIn(body['data']).map((one) => one['embedding']),
      body,
    ),
  writeReply: ({ vectors, inputTokens = 0 }, { encoding_format: format }, model) => ({
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: writtenVector(vector, format),
    })),
    model,
    usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
  }),
}

export const ollamaEmbed: EmbeddingTarget = {
  api: 'ollama-embed',
  carried: ['model', 'input', 'dimensions', 'keep_alive', 'truncate'],
  readQuestion: readInput,
  writeQuestion: ({ texts, dimensions }, model) => ({
    model,
    input: [...texts],
    ...(dimensions !== undefined && { dimensions }),
  }),
  readReply: (body) => embeddingsIn(listIn(body['embeddings']), body),
  writeReply: ({ vectors, inputTokens }, _, model) => ({
    model,
    embeddings: vectors.map((vector) => [...vector]),
    total_duration: 0,
    load_duration: 0,
    ...(inputTokens !== undefined && { prompt_eval_count: inputTokens }),
  }),
}

/** The older API of Ollama, for one text. */
export const ollamaEmbeddings: EmbeddingCodec = {
  api: 'ollama-embeddings',
  carried: ['model', 'prompt', 'keep_alive'],
  readQuestion: ({ prompt }) => ({ texts: textsIn(prompt, 'prompt'), dimensions: undefined }),
  writeReply: ({ vectors: [vector = []] }) => ({ embedding: [...vector] }),
}

export const geminiBatchEmbed: EmbeddingTarget = {
  api: 'gemini-batch-embed',
  carried: ['model', 'requests'],
  readQuestion({ requests }) {
    const all = objectsIn(requests)
    if (all.length === 0) throw notARequest('"requests" must be a list of requests for embeddings')
    return {
      texts: all.map(contentText),
      dimensions: sizeIn(all[0]?.['outputDimensionality']),
    }
  },
  writeQuestion: ({ texts, dimensions }, model) => ({
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    })),
  }),
  readReply: (body) =>
    embeddingsIn(
      objectsIn(body['embeddings']).map((one) => one['values']),
      body,
    ),
  writeReply: ({ vectors }) => ({ embeddings: vectors.map((vector) => ({ values: [...vector] })) }),
}

export const geminiEmbed: EmbeddingCodec = {
  api: 'gemini-embed',
  carried: ['model', 'content', 'outputDimensionality'],
  readQuestion: (body) => ({
    texts: [contentText(body)],
    dimensions: sizeIn(body['outputDimensionality']),
  }),
  writeReply: ({ vectors: [vector = []] }) => ({ embedding: { values: [...vector] } }),
}

/** Gemini has the model in the path, and again in each request of a batch. */
export function withGeminiModel({ requests, ...body }: JsonObject, model: string): JsonObject {
  const named = { model: `models/${model}` }
  return {
    ...body,
    ...('model' in body && named),
    ...(requests !== undefined && {
      requests: Array.isArray(requests)
        ? requests.map((one) => (isJsonObject(one) ? { ...one, ...named } : one))
        : requests,
    }),
  }
}

/** OpenAI and Ollama ask for embeddings in the same fields. */
function readInput({ input, dimensions }: JsonObject): EmbeddingQuestion {
  return { texts: textsIn(input, 'input'), dimensions: sizeIn(dimensions) }
}

function textsIn(input: JsonValue | undefined, field: string): readonly string[] {
  if (typeof input === 'string') return [input]
  const all = listIn(input)
  if (all.length === 0) throw notARequest(`"${field}" must be a text or a list of texts`)
  return all.map((one) => {
    if (typeof one === 'string') return one
    throw cannotSay(`"${field}" with anything but texts`)
  })
}

/** One embedding is asked for, however many parts the text has. */
function contentText({ content }: JsonObject): string {
  const parts = isJsonObject(content) ? objectsIn(content['parts']) : []
  if (parts.length === 0) throw notARequest('"content" must have "parts" with texts')
  return parts
    .map(({ text }) => {
      if (typeof text === 'string') return text
      throw cannotSay('"content" with anything but texts')
    })
    .join('')
}

function sizeIn(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function embeddingsIn(
  values: readonly (JsonValue | undefined)[],
  body: JsonObject,
): Embeddings | undefined {
  const vectors = values.map(vectorIn)
  if (vectors.length === 0 || vectors.includes(undefined)) return undefined
  return {
    vectors: vectors.filter((vector) => vector !== undefined),
    inputTokens: reportedUsage(body)?.inputTokens,
  }
}
