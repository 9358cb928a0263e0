/** Requests that are longer than the model can read: each client is told in the words of its own API. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { fakeProviders, postRequest, sseResponse } from '../support/gateway-send.ts'

const CONFIG: GatewayConfig = {
  demo: false,
  providers: {
    chat: { provider: 'openai-compatible', baseUrl: 'http://models.test/v1' },
    messages: { provider: 'anthropic', apiKey: 'k', baseUrl: 'http://models.test' },
    google: { provider: 'google', apiKey: 'k', baseUrl: 'http://models.test/v1beta' },
  },
}

const TOO_MUCH =
  "This model's maximum context length is 32768 tokens. However, you requested 41000 tokens " +
  '(9000 in the messages, 32000 in the completion). Please reduce the length of the messages.'
const TOO_LONG = 'prompt is too long: 41000 tokens > 32768 maximum'
const UNKNOWN = 'the request exceeds the available context size'

const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

interface Api {
  readonly path: (model: string) => string
  readonly body: JsonObject
}

const chatBody = { messages, max_tokens: 32000 }
const APIS: Readonly<Record<string, Api>> = {
  anthropic: { path: () => '/v1/messages', body: chatBody },
  openai: { path: () => '/v1/chat/completions', body: chatBody },
  responses: { path: () => '/v1/responses', body: { input: 'Hi' } },
  ollama: { path: () => '/api/chat', body: { messages } },
  gemini: { path: (model) => `/v1beta/models/${model}:generateContent`, body: { contents } },
}

const INPUT_AND_REPLY =
  'input length and `max_tokens` exceed context limit: 9000 + 32000 > 32768, decrease input length ' +
  'or `max_tokens` and try again'

const claude = (message: string): JsonObject => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
})

const openai = (message: string): JsonObject => ({
  error: { message, type: 'invalid_request_error', param: null, code: 'context_length_exceeded' },
})

const google = (message: string): JsonObject => ({
  error: { code: 400, status: 'INVALID_ARGUMENT', message },
})

const OPENAI_PROMPT =
  "This model's maximum context length is 32768 tokens. However, your messages resulted in 41000 " +
  'tokens. Please reduce the length of the messages.'

async function ask(api: string, model: string, stream: boolean, reply: () => Response) {
  const { path, body } = APIS[api] ?? { path: () => '', body: {} }
  const { send } = fakeProviders(reply)
  const gateway = createGateway(CONFIG, { send, env: {} })
  const streamed = api === 'gemini' ? {} : { stream }
  return gateway.fetch(postRequest(path(model), { ...body, ...streamed, model }))
}

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('%s', (_, stream) => {
  test.each([
    ['anthropic', 'chat/m', TOO_MUCH, claude(INPUT_AND_REPLY)],
    ['anthropic', 'messages/m', TOO_MUCH, claude(INPUT_AND_REPLY)],
    ['anthropic', 'google/m', TOO_LONG, claude(TOO_LONG)],
    ['anthropic', 'chat/m', UNKNOWN, claude(`prompt is too long: status 400: ${UNKNOWN}`)],
    ['openai', 'chat/m', TOO_LONG, openai(OPENAI_PROMPT)],
    ['openai', 'messages/m', TOO_LONG, openai(OPENAI_PROMPT)],
    ['openai', 'messages/m', UNKNOWN, openai(`status 400: ${UNKNOWN}`)],
    ['responses', 'messages/m', TOO_LONG, openai(OPENAI_PROMPT)],
    [
      'ollama',
      'chat/m',
      TOO_MUCH,
      { error: 'prompt too long; exceeded max context length by 8232 tokens' },
    ],
    [
      'gemini',
      'chat/m',
      TOO_LONG,
      google('The input token count (41000) exceeds the maximum number of tokens allowed (32768).'),
    ],
  ] as const)('%s to %s: %s', async (api, model, message, wanted) => {
    const response = await ask(api, model, stream, () =>
      Response.json({ error: { message, code: 400 } }, { status: 400 }),
    )
    expect(response.status).toBe(400)
    expect(response.headers.get('x-toolglot-error')).toBe('context_length_exceeded')
    expect(await response.json()).toEqual(wanted)
  })

  test('a stream that begins with the error is refused like any other', async () => {
    const response = await ask('anthropic', 'chat/m', stream, () =>
      stream
        ? sseResponse({ error: { message: TOO_MUCH, code: 400 } })
        : Response.json({ error: { message: TOO_MUCH, code: 400 } }),
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual(claude(INPUT_AND_REPLY))
  })
})

test.each(['chat/m', 'messages/m'])('in the middle of a stream of %s', async (model) => {
  const said = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta }] })
  const response = await ask('anthropic', model, true, () =>
    model === 'chat/m'
      ? sseResponse(said({ content: 'Well' }), { error: { message: TOO_MUCH, code: 400 } })
      : sseResponse(
          { type: 'message_start', message: { id: 'm', content: [], usage: {} } },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Well' } },
          { type: 'error', error: { type: 'invalid_request_error', message: TOO_MUCH } },
        ),
  )
  const text = await response.text()
  expect(text).toContain('Well')
  // A provider that speaks the client's API has said it in its own words.
  const told = model === 'chat/m' ? INPUT_AND_REPLY : TOO_MUCH
  expect(text).toContain(JSON.stringify({ type: 'invalid_request_error', message: told }))
})
