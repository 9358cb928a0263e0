import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { streamSource } from '../byte-source.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { Send } from '../http.ts'
import { withDiscovered } from './discover.ts'

const send: Send = async ({ method, url, headers, signal }) => {
  const { status, body } = await fetch(url, { method, headers, signal: signal ?? null })
  if (!body) throw new Error('no body')
  return { status, headers: {}, body: streamSource(body) }
}

let server: Server
let port = 0

beforeAll(async () => {
  server = createServer((_, response) => response.end('{"models":[{"name":"qwen3"}]}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port // it listens at a port, not at a path
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

const CLOSED = { 'llama-cpp': 1, 'lm-studio': 1, vllm: 1, sglang: 1 }

function options(env: Record<string, string> = {}) {
  return { send, env, ports: { ...CLOSED, ollama: port }, timeoutMs: 3000 }
}

test('adds what is found, and tells of it', async () => {
  const config = { port: 4141, models: { fast: 'ollama/qwen3' } }
  const { config: found, report } = await withDiscovered(
    config,
    options({ GROQ_API_KEY: 'secret' }),
  )
  const baseUrl = `http://127.0.0.1:${port}`
  expect(found).toEqual({
    ...config,
    providers: { ollama: { baseUrl }, groq: {} },
  })
  expect(report).toEqual({
    local: [{ provider: 'ollama', name: 'Ollama', baseUrl, models: ['qwen3'] }],
    keys: [{ provider: 'groq', name: 'Groq', variable: 'GROQ_API_KEY' }],
    warnings: [],
  })
})

test('names the variable, whatever it is', async () => {
  const env = {
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    OPENAI_COMPATIBLE_BASE_URL: 'http://10.0.0.1/v1',
  }
  const { report } = await withDiscovered({}, options(env))
  expect(report.keys.map(({ provider, variable }) => [provider, variable])).toEqual([
    ['bedrock', 'AWS_SECRET_ACCESS_KEY'],
    ['openai-compatible', 'OPENAI_COMPATIBLE_BASE_URL'],
    ['responses-compatible', 'OPENAI_COMPATIBLE_BASE_URL'],
  ])
})

describe('what is configured', () => {
  const providers = { mistral: { apiKey: 'k' } }

  test('is enough', async () => {
    const { config, report } = await withDiscovered({ providers }, options())
    expect(config).toEqual({ providers })
    expect(report).toEqual({ local: [], keys: [], warnings: [] })
  })

  test('is not enough when more is asked for', async () => {
    const { config } = await withDiscovered({ providers, discover: true }, options())
    expect(Object.keys(config.providers ?? {})).toEqual(['mistral', 'ollama'])
  })

  test('stays as it is', async () => {
    const own = { ollama: { baseUrl: 'http://10.0.0.1:11434' }, openai: { apiKey: 'k' } }
    const { config, report } = await withDiscovered(
      { providers: own, discover: true },
      options({ OPENAI_API_KEY: 'other' }),
    )
    expect(config.providers).toEqual(own)
    expect(report.keys).toEqual([])
  })

  test('and is no more than a name gets what was found', async () => {
    const named: ServerConfig = { providers: { ollama: {} }, discover: true }
    const { config } = await withDiscovered(named, options())
    expect(config.providers?.['ollama']).toEqual({ baseUrl: `http://127.0.0.1:${port}` })
  })

  test('under a name of its own is not found a second time', async () => {
    const mine = { provider: 'ollama', baseUrl: `http://localhost:${port}` }
    const { config, report } = await withDiscovered(
      { providers: { mine }, discover: true },
      options(),
    )
    expect(config.providers).toEqual({ mine })
    expect(report.local).toEqual([])
  })

  test('can say no', async () => {
    const { config } = await withDiscovered({ discover: false }, options({ GROQ_API_KEY: 'k' }))
    expect(config).toEqual({ discover: false })
  })
})

test('a variable that was set for clients of the gateway does not lead back to it', async () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://localhost:5000/v1' }
  const { config, report } = await withDiscovered({ port: 5000 }, options(env))
  expect(config.providers?.['openai']).toEqual({ baseUrl: 'https://api.openai.com/v1' })
  expect(report.warnings).toEqual([
    'providers.openai: OPENAI_BASE_URL is the address of this gateway itself; asking https://api.openai.com/v1',
  ])
})
