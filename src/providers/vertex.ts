/** Gemini in Google's cloud. The key is an OAuth access token, which lasts an hour: pass a function. */
import { BEARER, NATIVE } from './chat-service.ts'
import type { Provider } from './provider.ts'

export const vertex: Provider<'vertex'> = {
  id: 'vertex',
  name: 'Google Vertex AI',
  aliases: ['vertex-ai', 'google-vertex'],
  dialect: 'gemini',
  baseUrl:
    'https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/google',
  paths: {
    chat: '/models/{model}:generateContent',
    stream: '/models/{model}:streamGenerateContent?alt=sse',
  },
  auth: BEARER,
  keyVariables: ['GOOGLE_VERTEX_ACCESS_TOKEN'],
  settings: {
    project: {
      about: 'the project that pays',
      variables: ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'],
    },
    location: {
      about: 'the region',
      variables: ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'],
      default: 'us-central1',
    },
  },
  capabilities: NATIVE,
  docs: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
}
