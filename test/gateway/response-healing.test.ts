/** OpenRouter's plugin `response-healing`, for services that do not have it. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { type FakeProviders, fakeProviders, postRequest } from '../support/gateway-send.ts'

const BROKEN = 'Here it is:\n```json\n{"city": "Oslo", days: 3,}\n```'
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
}
const FORMAT = { type: 'json_schema', json_schema: { name: 'trip', schema: SCHEMA } }
const PLUGINS = [{ id: 'response-healing' }]

const PROVIDERS = {
  local: { provider: 'openai-compatible', baseUrl: 'http://local.test/v1' },
  theirs: { provider: 'openrouter', baseUrl: 'http://router.test/v1', apiKey: 'k' },
  claude: { provider: 'anthropic', baseUrl: 'http://claude.test', apiKey: 'k' },
}

function services(text: string, reason: string): FakeProviders {
  return fakeProviders(({ url }) => {
    if (url.pathname.endsWith('/messages')) {
      const stop = reason === 'stop' ? 'end_turn' : 'max_tokens'
      const content = [{ type: 'text', text }]
      return Response.json({ type: 'message', role: 'assistant', content, stop_reason: stop })
    }
    const message = { role: 'assistant', content: text }
    return Response.json({ choices: [{ index: 0, message, finish_reason: reason }] })
  })
}

interface Asked {
  readonly content: string
  readonly sent: JsonObject
}

async function ask(
  model: string,
  more: JsonObject,
  { text = BROKEN, reason = 'stop' } = {},
): Promise<Asked> {
  const providers = services(text, reason)
  const gateway = createGateway(
    { demo: false, providers: PROVIDERS },
    { send: providers.send, env: {} },
  )
  const messages = [{ role: 'user', content: 'A trip.' }]
  const request = { model, messages, response_format: FORMAT, ...more }
  const response = await gateway.fetch(postRequest('/v1/chat/completions', request))
  const reply = (await response.json()) as { choices: { message: { content: string } }[] }
  return {
    content: reply.choices[0]?.message.content ?? '',
    sent: providers.requests[0]?.body ?? {},
  }
}

describe.each(['local/m', 'claude/claude-opus-4-8'])('a reply of %s', (model) => {
  test('that must be JSON becomes JSON, and the service does not hear of the plugin', async () => {
    const { content, sent } = await ask(model, { plugins: PLUGINS })
    expect(JSON.parse(content)).toEqual({ city: 'Oslo', days: 3 })
    expect(sent).not.toHaveProperty('plugins')
  })

  test.each([
    ['without the plugin', {}, {}],
    ['when it is off', { plugins: [{ id: 'response-healing', enabled: false }] }, {}],
    ['that need not be JSON', { plugins: PLUGINS, response_format: { type: 'text' } }, {}],
    ['that was cut off', { plugins: PLUGINS }, { reason: 'length' }],
    ['of words alone', { plugins: PLUGINS }, { text: 'I cannot.' }],
  ])('%s stays as it is', async (_, more, reply) => {
    const { text = BROKEN } = reply as { text?: string }
    expect((await ask(model, more, reply)).content).toBe(text)
  })
})

test('other plugins pass on', async () => {
  const { sent } = await ask('local/m', { plugins: [...PLUGINS, { id: 'web' }] })
  expect(sent['plugins']).toEqual([{ id: 'web' }])
})

test('OpenRouter gets it as it is, and its reply is left alone', async () => {
  const { content, sent } = await ask('theirs/m', { plugins: PLUGINS })
  expect(sent['plugins']).toEqual(PLUGINS)
  expect(content).toBe(BROKEN)
})
