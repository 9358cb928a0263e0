import { expect, test } from 'vitest'
import { providersInEnvironment } from './environment.ts'

test.for<[env: Record<string, string>, providers: string[]]>([
  [{}, []],
  [{ OPENAI_API_KEY: '' }, []],
  [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, ['anthropic', 'openai']],
  [{ GOOGLE_API_KEY: 'k' }, ['google']],
  [{ OPENAI_API_KEYS: 'k,l' }, ['openai']],
  // Azure is somewhere else for everybody, Vertex as well.
  [{ AZURE_OPENAI_API_KEY: 'k' }, []],
  [{ AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_RESOURCE: 'r' }, ['azure-openai']],
  [{ GOOGLE_VERTEX_ACCESS_TOKEN: 'k' }, []],
  [{ GOOGLE_VERTEX_ACCESS_TOKEN: 'k', GOOGLE_CLOUD_PROJECT: 'p' }, ['vertex']],
  // Bedrock knows a key of its own, and that of AWS.
  // Its other API must be asked for by name.
  [{ GEMINI_API_KEY: 'k' }, ['google']],
  [{ AWS_BEARER_TOKEN_BEDROCK: 'k' }, ['bedrock']],
  [{ AWS_ACCESS_KEY_ID: 'k' }, []],
  [{ AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' }, ['bedrock']],
  [{ STACKSPOT_CLIENT_ID: 'i', STACKSPOT_CLIENT_KEY: 's', STACKSPOT_REALM: 'r' }, ['stackspot']],
  [{ STACKSPOT_CLIENT_ID: 'i', STACKSPOT_CLIENT_KEY: 's' }, []],
  [{ GITHUB_TOKEN: 't' }, ['github-models']],
  // Servers without keys are there or not; only an address elsewhere says that they are meant.
  [{ OLLAMA_HOST: '0.0.0.0' }, []],
  [{ OLLAMA_HOST: '127.0.0.1:11434' }, []],
  [{ OLLAMA_HOST: 'http://gpu.example:11434' }, ['ollama']],
  [{ OPENAI_COMPATIBLE_API_KEY: 'k' }, []],
  [
    { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1' },
    ['openai-compatible', 'responses-compatible'],
  ],
  [{ VLLM_API_KEY: 'k' }, ['vllm']],
])('%j', ([env, providers]) => {
  const found = providersInEnvironment(env)
  expect(Object.keys(found)).toEqual(providers)
  // The key stays where it is.
  expect(Object.values(found).every((config) => Object.keys(config).length === 0)).toBe(true)
})
