/** APIs besides chat. A provider lists those that it serves, each with its path; the gateway passes requests on to them. */

export type ApiId =
  | UsualApiId
  | 'mistral-fim'
  | 'llama-infill'
  | 'tokenize'
  | 'detokenize'
  | 'gemini-embed'
  | 'gemini-batch-embed'
  | OllamaApiId

/** Those that many servers have at the same paths. */
export type UsualApiId =
  | 'openai-embeddings'
  | 'openai-completions'
  | 'openai-moderations'
  | 'openai-speech'
  | 'openai-transcriptions'
  | 'openai-translations'
  | 'openai-images'
  | 'openai-image-edits'
  | 'openai-image-variations'
  | 'rerank'

export type OllamaApiId =
  | 'ollama-generate'
  | 'ollama-chat'
  | 'ollama-embed'
  | 'ollama-embeddings'
  | 'ollama-pull'
  | 'ollama-push'
  | 'ollama-create'
  | 'ollama-copy'
  | 'ollama-delete'
  | 'ollama-blobs'
  | 'ollama-ps'
  | 'ollama-version'

/** Paths after the base URL, with the name of the model in place of `{model}`. */
export type Apis = Readonly<Partial<Record<ApiId, string>>>

/** Of servers and services whose base URL ends with `/v1`. */
const USUAL_PATHS: Readonly<Record<UsualApiId, string>> = {
  'openai-embeddings': '/embeddings',
  'openai-completions': '/completions',
  'openai-moderations': '/moderations',
  'openai-speech': '/audio/speech',
  'openai-transcriptions': '/audio/transcriptions',
  'openai-translations': '/audio/translations',
  'openai-images': '/images/generations',
  'openai-image-edits': '/images/edits',
  'openai-image-variations': '/images/variations',
  rerank: '/rerank',
}

/** Those APIs of OpenAI's form, at their usual paths. */
export function usualApis(...ids: readonly UsualApiId[]): Apis {
  return Object.fromEntries(ids.map((id) => [id, USUAL_PATHS[id]]))
}

/** Everything that a server of OpenAI's form may serve: for servers that nobody knows. */
export const ALL_USUAL_APIS: Apis = USUAL_PATHS
