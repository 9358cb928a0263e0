/** The table of the APIs besides chat: who serves them, and what they are translated to. */

import { servedBy } from '../src/gateway/relay/served-api.ts'
import type { ApiId } from '../src/providers/apis.ts'
import { allProviders } from '../src/providers/registry.ts'

/** Those that manage servers are described in words. */
type ModelApiId = Exclude<
  ApiId,
  | 'ollama-pull'
  | 'ollama-push'
  | 'ollama-create'
  | 'ollama-copy'
  | 'ollama-delete'
  | 'ollama-blobs'
  | 'ollama-ps'
  | 'ollama-version'
>

const PATHS: Readonly<Record<ModelApiId, string>> = {
  'openai-embeddings': '/v1/embeddings',
  'openai-completions': '/v1/completions',
  'openai-moderations': '/v1/moderations',
  'openai-speech': '/v1/audio/speech',
  'openai-transcriptions': '/v1/audio/transcriptions',
  'openai-translations': '/v1/audio/translations',
  'openai-images': '/v1/images/generations',
  'openai-image-edits': '/v1/images/edits',
  'openai-image-variations': '/v1/images/variations',
  rerank: '/v1/rerank`, `/v2/rerank`, `/rerank',
  'mistral-fim': '/v1/fim/completions',
  'llama-infill': '/infill',
  tokenize: '/tokenize',
  detokenize: '/detokenize',
  'ollama-generate': '/api/generate',
  'ollama-chat': '/api/chat` without messages',
  'ollama-embed': '/api/embed',
  'ollama-embeddings': '/api/embeddings',
  'gemini-embed': '/v1beta/models/{model}:embedContent',
  'gemini-batch-embed': '/v1beta/models/{model}:batchEmbedContents',
}

export function apiTable(): string {
  // The keys of the table; Object.keys only knows them as strings.
  const rows = (Object.keys(PATHS) as ModelApiId[]).map((api) => {
    const own = providersFor(api, false)
    const translated = providersFor(api, true)
    return `| \`${PATHS[api]}${PATHS[api].includes('` ') ? '' : '`'} | ${own} | ${translated} |`
  })
  return ['| path | as it is | translated |', '|---|---|---|', ...rows].join('\n')
}

function providersFor(api: ApiId, isTranslated: boolean): string {
  const found = allProviders.filter((provider) => {
    const served = servedBy(provider, api)
    return served !== undefined && (served.translation !== undefined) === isTranslated
  })
  return found.length === 0 ? '–' : found.map(({ id }) => `\`${id}\``).join(', ')
}
