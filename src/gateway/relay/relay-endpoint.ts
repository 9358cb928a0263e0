/**
 * The APIs besides chat whose requests are passed on to the provider that has the model, as data: where the name of
 * the model is, how the body is sent, and which replies are streamed. Nothing else knows one of these APIs from another.
 */
import type { Framing } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ApiId } from '../../providers/apis.ts'
import { type FoundByPath, findByPath } from '../endpoints/find-by-path.ts'
import { withGeminiModel } from './embedding-codecs.ts'
import { asksToLoad } from './load.ts'

export interface RelayEndpoint {
  readonly api: ApiId
  /** The whole path; a group called `model` has the model where the path names it. */
  readonly path: RegExp
  /** `form`: `multipart/form-data`; such endpoints take JSON as well. */
  readonly body: 'json' | 'form'
  /** A request without the name of a model is for the first provider that serves the API. */
  readonly modelOptional?: true
  /** Writes the provider's name of the model into a JSON body. Default: the field `model`. */
  readonly rename?: (body: JsonObject, model: string) => JsonObject
  readonly streams: (body: JsonObject) => boolean
  /** Which of the two texts is made of tokens, where no usage is reported. */
  readonly counted: 'both' | 'request' | 'none'
  /** Which fields of the configuration (`body`, `forceBody`) are added. Default: none. */
  readonly extra?: 'all' | 'defaults'
  /** How streams are framed, and what is found in each that has not broken off. */
  readonly framing?: Framing
  readonly complete?: RegExp
}

/** True for requests that a path of chat has, too, and that are to be passed on all the same. */
export interface SharedEndpoint extends RelayEndpoint {
  readonly when: (body: JsonObject) => boolean
}

const isStreamed = (body: JsonObject): boolean =>
  body['stream'] === true || body['stream'] === 'true'
const streamsUnlessFalse = (body: JsonObject): boolean => body['stream'] !== false
const never = (): boolean => false

const EMBEDDING = { body: 'json', streams: never, counted: 'request' } as const
const AUDIO_FORM = { body: 'form', streams: isStreamed, counted: 'none' } as const
const IMAGES = { streams: isStreamed, counted: 'none', modelOptional: true } as const
/** What loads a model loads it as the requests after it need it. */
const LOAD = { body: 'json', streams: never, counted: 'none', extra: 'defaults' } as const
const TOKENS = { body: 'json', streams: never, counted: 'none', modelOptional: true } as const

const ENDPOINTS: readonly RelayEndpoint[] = [
  { api: 'openai-embeddings', path: /^\/v1\/embeddings$/, ...EMBEDDING },
  {
    api: 'openai-completions',
    path: /^\/v1\/completions$/,
    body: 'json',
    streams: isStreamed,
    counted: 'both',
    extra: 'all',
    framing: 'sse',
    complete: /^data:\s*\[DONE\]|"error"\s*:\s*["{]/m,
  },
  {
    api: 'openai-moderations',
    path: /^\/v1\/moderations$/,
    body: 'json',
    streams: never,
    counted: 'request',
    modelOptional: true,
  },
  {
    api: 'openai-speech',
    path: /^\/v1\/audio\/speech$/,
    body: 'json',
    // Audio is sent while it is made.
    streams: () => true,
    counted: 'request',
  },
  { api: 'openai-transcriptions', path: /^\/v1\/audio\/transcriptions$/, ...AUDIO_FORM },
  { api: 'openai-translations', path: /^\/v1\/audio\/translations$/, ...AUDIO_FORM },
  { api: 'openai-images', path: /^\/v1\/images\/generations$/, body: 'json', ...IMAGES },
  { api: 'openai-image-edits', path: /^\/v1\/images\/edits$/, body: 'form', ...IMAGES },
  { api: 'openai-image-variations', path: /^\/v1\/images\/variations$/, body: 'form', ...IMAGES },
  {
    api: 'mistral-fim',
    path: /^\/v1\/fim\/completions$/,
    body: 'json',
    streams: isStreamed,
    counted: 'both',
    extra: 'all',
  },
  { api: 'rerank', path: /^(?:\/v[12])?\/rerank$/, ...EMBEDDING },
  {
    api: 'llama-infill',
    path: /^\/infill$/,
    body: 'json',
    streams: isStreamed,
    counted: 'both',
    extra: 'all',
    modelOptional: true,
  },
  { api: 'tokenize', path: /^\/tokenize$/, ...TOKENS },
  { api: 'detokenize', path: /^\/detokenize$/, ...TOKENS },
  { api: 'ollama-embed', path: /^\/api\/embed$/, ...EMBEDDING, extra: 'defaults' },
  { api: 'ollama-embeddings', path: /^\/api\/embeddings$/, ...EMBEDDING, extra: 'defaults' },
  {
    api: 'gemini-embed',
    path: /^\/v1(?:beta|alpha)?\/models\/(?<model>.+):embedContent$/,
    ...EMBEDDING,
    rename: withGeminiModel,
  },
  {
    api: 'gemini-batch-embed',
    path: /^\/v1(?:beta|alpha)?\/models\/(?<model>.+):batchEmbedContents$/,
    ...EMBEDDING,
    rename: withGeminiModel,
  },
]

/** At paths of chat. Where no provider of the model serves these APIs, the question is answered as one of chat. */
const SHARED: readonly SharedEndpoint[] = [
  {
    api: 'ollama-generate',
    path: /^\/api\/generate$/,
    when: (body) => !asksToLoad('/api/generate', body),
    body: 'json',
    streams: streamsUnlessFalse,
    counted: 'both',
    extra: 'all',
    framing: 'ndjson',
    complete: /"done"\s*:\s*true|"error"\s*:/,
  },
  {
    api: 'ollama-generate',
    path: /^\/api\/generate$/,
    when: (body) => asksToLoad('/api/generate', body),
    ...LOAD,
  },
  {
    api: 'ollama-chat',
    path: /^\/api\/chat$/,
    when: (body) => asksToLoad('/api/chat', body),
    ...LOAD,
  },
]

export type FoundRelay = FoundByPath<RelayEndpoint>

export function findRelay(path: string, query: URLSearchParams): FoundRelay | undefined {
  return findByPath(ENDPOINTS, path, query)
}

/** The API besides chat that a request at a path of chat asks for. */
export function findShared(path: string, body: JsonObject): RelayEndpoint | undefined {
  return SHARED.find((endpoint) => endpoint.path.test(path) && endpoint.when(body))
}

/** How the replies of an API are read. */
export function endpointOf(api: ApiId): RelayEndpoint | undefined {
  return [...ENDPOINTS, ...SHARED].find((endpoint) => endpoint.api === api)
}
