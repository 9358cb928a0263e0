/** Thoughts of earlier turns whose signature the provider does not accept. */
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message } from '../../src/core/model.ts'
import { anthropic } from '../../src/dialects/anthropic.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { type FakeProviders, fakeProviders, sseResponse } from '../support/gateway-send.ts'

const BETA = 'thinking-binding-controls-2026-08-01'
const REFUSAL =
  'messages.1.content.0: Invalid `signature` in `thinking` block: it is bound to another conversation'
const CHANGES = [{ type: 'thinking_dropped', message_index: 1 }]

const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
const hidden = { type: 'redacted_thinking', data: 'eHg=' }
const REQUEST: JsonObject = {
  model: 'claude/claude-fable-5-1',
  max_tokens: 9,
  thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [thought, hidden, { type: 'text', text: 'Hello.' }] },
    { role: 'user', content: 'And?' },
  ],
}

/** A service that refuses all thoughts in a request. */
function strict(): FakeProviders {
  return fakeProviders(({ body }) => {
    if (JSON.stringify(body).includes('"thinking":"Hm."')) {
      const error = { type: 'invalid_request_error', message: REFUSAL }
      return Response.json({ type: 'error', error }, { status: 400 })
    }
    return reply(body['stream'] === true)
  })
}

function reply(isStream: boolean): Response {
  const head = { id: 'm', type: 'message', role: 'assistant', model: 'm' }
  const end = { stop_reason: 'end_turn' }
  if (!isStream) {
    const content = [{ type: 'text', text: 'Well.' }]
    return Response.json({ ...head, ...end, content, usage: {}, input_transformations: CHANGES })
  }
  return sseResponse(
    { type: 'message_start', message: { ...head, content: [], usage: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Well.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage: {}, input_transformations: CHANGES },
    { type: 'message_stop' },
  )
}

const CONFIG = {
  demo: false,
  providers: { claude: { provider: 'anthropic', apiKey: 'k', baseUrl: 'http://claude.test' } },
} as const

/** A mode of tools other than `auto` leads through the neutral model. */
async function ask(providers: FakeProviders, body: JsonObject, lane: string): Promise<Response> {
  const gateway = createGateway(CONFIG, { send: providers.send, env: {} })
  const tools = [{ name: 'tide', input_schema: { type: 'object' } }]
  const mode = lane === 'translate' && { 'x-toolglot-tool-mode': 'text' }
  const given = lane === 'translate' ? { ...body, tools } : body
  const response = await gateway.fetch(
    new Request('http://gateway.test/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-beta': BETA, ...mode },
      body: JSON.stringify(given),
    }),
  )
  expect(response.headers.get('x-toolglot-lane') ?? lane).toBe(lane)
  return response
}

function withBinding(behavior: string): JsonObject {
  const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: behavior } }
  return { ...REQUEST, thinking }
}

describe.each([
  ['pass', false],
  ['pass', true],
  ['translate', false],
  ['translate', true],
] as const)('%s, streamed: %s', (lane, stream) => {
  const request = { ...REQUEST, stream }

  test('what the client says about the binding goes through, and what comes of it comes back', async () => {
    const providers = fakeProviders(({ body }) => reply(body['stream'] === true))
    const response = await ask(providers, request, lane)
    const [sent] = providers.requests
    expect(sent?.body['thinking']).toEqual(REQUEST['thinking'])
    expect(sent?.headers['anthropic-beta']).toBe(BETA)
    expect(JSON.stringify(sent?.body['messages'])).toContain(JSON.stringify(thought))
    expect(await response.text()).toContain(`"input_transformations":${JSON.stringify(CHANGES)}`)
  })

  test('a refused signature: once more without thoughts, which is reported', async () => {
    const providers = strict()
    const response = await ask(providers, request, lane)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Well.')
    expect(providers.requests).toHaveLength(2)
    const [, again] = providers.requests
    expect(again?.body['messages']).toMatchObject([
      { content: 'Hi' },
      { content: [{ type: 'text', text: 'Hello.' }] },
      { content: 'And?' },
    ])
    const issues = response.headers.get('x-toolglot-issues')
    if (lane === 'pass' || !stream) expect(issues).toContain('lost-field')
  })

  test('who asks for an error gets it', async () => {
    const providers = strict()
    const response = await ask(providers, { ...withBinding('error'), stream }, lane)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Invalid `signature`')
    expect(providers.requests).toHaveLength(1)
  })
})

test('details of thinking are left out where there is no thinking', () => {
  const decoded = anthropic.decodeRequest(REQUEST)
  const tools = [{ name: 'tide', inputSchema: { type: 'object' } }]
  const forced = { ...decoded, tools, toolChoice: 'required' as const }
  expect(anthropic.encodeRequest({ ...forced, reasoning: { effort: 'high' } })).not.toHaveProperty(
    'thinking',
  )
})

test('a client does not send again what was refused before', async () => {
  const providers = strict()
  const { messages } = anthropic.decodeRequest({ ...REQUEST, model: 'claude-fable-5-1' })
  const client = createClient({
    provider: 'anthropic',
    model: 'claude-fable-5-1',
    apiKey: 'k',
    fetch: async (url, init) => {
      const sent = { url: new URL(String(url)), headers: {}, body: JSON.parse(String(init?.body)) }
      providers.requests.push(sent)
      const isRefused = JSON.stringify(sent.body).includes('"thinking":"Hm."')
      const error = { type: 'invalid_request_error', message: REFUSAL }
      return isRefused ? Response.json({ type: 'error', error }, { status: 400 }) : reply(false)
    },
  })
  await client.complete({ messages })
  const said: Message = { role: 'assistant', content: 'Well.' }
  const { issues } = await client.complete({
    messages: [...messages, said, { role: 'user', content: 'Go on.' }],
  })
  expect(providers.requests).toHaveLength(3)
  expect(issues.map(({ code }) => code)).toContain('lost-field')
})
