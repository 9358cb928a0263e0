import { describe, expect, it } from 'vitest'
import { createClient } from '../client/create-client.ts'
import { getDialect } from '../dialects/registry.ts'
import * as providers from './index.ts'
import { allProviders, getProvider } from './registry.ts'

const WANTED =
  'openai anthropic google vertex zai minimax minimax-anthropic moonshot openrouter xai ' +
  'github-copilot github-models ollama stackspot bedrock azure-openai mistral cohere deepseek groq ' +
  'together fireworks cerebras nvidia hugging-face perplexity alibaba llama-cpp vllm sglang ' +
  'lm-studio openai-compatible responses-compatible google-interactions'

describe('the registry of providers', () => {
  it('has every service, each under its own id', () => {
    const ids = allProviders.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted()).toEqual(WANTED.split(' ').toSorted())
    expect(Object.keys(providers)).toHaveLength(ids.length)
  })

  it.each([
    ['gemini', 'google'],
    ['GOOGLEAI', 'google'],
    ['claude', 'anthropic'],
    ['CLAUDEAI', 'anthropic'],
    ['copilot', 'github-copilot'],
    ['GITHUB_MODELS', 'github-models'],
    ['grok', 'xai'],
    ['x.ai', 'xai'],
    ['kimi', 'moonshot'],
    ['Moonshot AI', 'moonshot'],
    ['qwen', 'alibaba'],
    ['glm', 'zai'],
    ['Z.AI', 'zai'],
    ['azure', 'azure-openai'],
    ['aws-bedrock', 'bedrock'],
    ['huggingface', 'hugging-face'],
    ['llama.cpp', 'llama-cpp'],
    ['lmstudio', 'lm-studio'],
    ['vertexai', 'vertex'],
    ['MINIMAX', 'minimax'],
    ['openrouter', 'openrouter'],
    ['STACKSPOT', 'stackspot'],
  ])('knows %s as %s', (written, id) => {
    expect(getProvider(written).id).toBe(id)
  })

  it('gives no name to two of them', () => {
    const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
    const owners = new Map<string, Set<string>>()
    for (const { id, name, aliases = [] } of allProviders) {
      for (const written of [id, name, ...aliases].map(fold)) {
        owners.set(written, (owners.get(written) ?? new Set()).add(id))
      }
    }
    expect([...owners].filter(([, ids]) => ids.size > 1)).toEqual([])
  })

  it.each([
    ['opnai', 'openai'],
    ['groc', 'groq'],
    ['gemni', 'google'],
    ['openruter', 'openrouter'],
  ])('says that %s is probably %s', (written, id) => {
    expect(() => getProvider(written)).toThrow(
      `unknown provider "${written}" (did you mean ${id}?)`,
    )
  })

  it('says which there are when asked for another', () => {
    expect(() => getProvider('nobody')).toThrow(/unknown provider "nobody"; known are: alibaba, /)
  })
})

describe.for(allProviders.map((provider) => [provider.id, provider] as const))(
  '%s',
  ([, provider]) => {
    const { baseUrl, paths, settings = {}, auth, keyVariables, keyOptional, docs } = provider

    it('is where it says, and keeps its own settings', () => {
      if (baseUrl !== '') expect(baseUrl).toMatch(/^https?:\/\/[^/]+[^/]$|[^/]$/)
      expect(paths.chat).toMatch(/^\//)
      expect(docs).toMatch(/^https:\/\//)
      const tokenUrls = auth.map((one) => ('tokenUrl' in one ? one.tokenUrl : ''))
      const used = [baseUrl, ...tokenUrls, ...Object.values(provider.headers ?? {})]
      for (const [, name = ''] of used.join(' ').matchAll(/\{(\w+)\}/g)) {
        expect(Object.keys(settings)).toContain(name)
      }
    })

    it('speaks a dialect that we know', () => {
      for (const { dialect = provider.dialect } of [provider, ...(provider.routes ?? [])]) {
        const value = typeof dialect === 'string' ? getDialect(dialect) : dialect
        const request = { model: 'm', messages: [{ role: 'user', content: 'Hello?' }] } as const
        expect(JSON.stringify(value.encodeRequest(request, provider))).toContain('Hello?')
      }
    })

    it('knows its callers', () => {
      expect(auth.length).toBeGreaterThan(0)
      const usesKey = auth.some(({ scheme }) => ['bearer', 'header', 'exchange'].includes(scheme))
      expect(usesKey).toBe(keyVariables.length > 0)
      if (keyOptional) expect(usesKey).toBe(true)
    })

    it('answers through a client', async () => {
      const sent: { url: string; headers: Headers }[] = []
      const client = createClient({
        provider,
        model: 'some/model:1',
        apiKey: 'key-for-tests',
        env: {},
        ...(baseUrl === '' && { baseUrl: 'http://127.0.0.1:9' }),
        settings: Object.fromEntries(
          Object.entries(settings).flatMap(([name, { optional }]) =>
            optional ? [] : [[name, `my-${name}`]],
          ),
        ),
        retries: 0,
        fetch: async (url, init) => {
          sent.push({ url: String(url), headers: new Headers(init?.headers) })
          const isToken = /token/.test(String(url))
          return isToken
            ? Response.json({ token: 'bought-token' })
            : new Response('', { status: 418 })
        },
      })
      await expect(
        client.complete({ messages: [{ role: 'user', content: 'Hello?' }] }),
      ).rejects.toMatchObject({
        provider: provider.id,
        status: 418,
      })
      const last = sent.at(-1)
      expect(last?.url).not.toMatch(/[{}]/)
      const proof = [...(last?.headers.values() ?? [])].join(' ')
      expect(proof).toMatch(/key-for-tests|bought-token/)
      expect(client.capabilities.nativeTools).toBe(provider.capabilities.nativeTools !== false)
    })
  },
)
