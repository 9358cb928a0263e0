/** Servers that take one system message and known roles only, from every client and in both lanes. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { type FakeProviders, postRequest } from '../support/gateway-send.ts'
import { messagesOf, strictServer } from '../support/strict-server.ts'

const TOOL = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }

function configOf(more: object = {}): GatewayConfig {
  return {
    demo: false,
    providers: {
      local: { provider: 'openai-compatible', baseUrl: 'http://models.test/v1', ...more },
      ollama: { baseUrl: 'http://ollama.test', ...more },
      theirs: { provider: 'openai', baseUrl: 'http://openai.test/v1', apiKey: 'k' },
    },
  }
}

const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }

/** One conversation as clients of each kind send it, with system messages at three places. */
const ASKED: Readonly<Record<string, (model: string, stream: boolean) => Request>> = {
  chat: (model, stream) =>
    postRequest('/v1/chat/completions', {
      model,
      stream,
      tools: [{ type: 'function', function: TOOL }],
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
        { role: 'user', content: 'Look.' },
        { role: 'developer', content: 'Agents: none.' },
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: 'A tree.' },
        { role: 'system', content: 'Two files changed.' },
      ],
    }),
  anthropic: (model, stream) =>
    postRequest('/v1/messages', {
      model,
      stream,
      max_tokens: 100,
      tools: [{ name: 'look', description: 'Looks.', input_schema: TOOL.parameters }],
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } },
      ],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
        { role: 'system', content: [{ type: 'text', text: 'Agents: none.' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: {} }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'A tree.' }],
        },
        { role: 'system', content: 'Two files changed.' },
      ],
    }),
  responses: (model, stream) =>
    postRequest('/v1/responses', {
      model,
      stream,
      tools: [{ type: 'function', ...TOOL }],
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
        {
          type: 'message',
          role: 'developer',
          content: [{ type: 'input_text', text: 'Agents: none.' }],
        },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'A tree.' },
        { type: 'message', role: 'system', content: 'Two files changed.' },
      ],
    }),
  ollama: (model, stream) =>
    postRequest('/api/chat', {
      model,
      stream,
      tools: [{ type: 'function', function: TOOL }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Look.' },
        { role: 'system', content: 'Agents: none.' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ function: { name: 'look', arguments: {} } }],
        },
        { role: 'tool', tool_name: 'look', content: 'A tree.' },
        { role: 'system', content: 'Two files changed.' },
      ],
    }),
}

const lastBody = ({ requests }: FakeProviders): JsonObject => requests.at(-1)?.body ?? {}

/** What messages say, in one text each. */
function said(message: JsonObject): string {
  const { content } = message
  if (!Array.isArray(content)) return String(content ?? '')
  return content.map((part) => (part as JsonObject)['text']).join('|')
}

describe.each(Object.keys(ASKED))('a client of %s', (kind) => {
  test.each([
    ['local/m', true],
    ['local/m', false],
    ['ollama/m', true],
    ['ollama/m', false],
  ] as const)('reaches %s (streamed: %s)', async (model, stream) => {
    const server = strictServer()
    const gateway = createGateway(configOf(), { send: server.send, env: {} })
    const response = await gateway.fetch((ASKED[kind] as (typeof ASKED)[string])(model, stream))
    expect(await response.text()).toContain('Done.')
    expect(response.status).toBe(200)
    const messages = messagesOf(lastBody(server))
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'user',
    ])
    const [system = '', user = '', , result = '', late = ''] = messages.map(said)
    expect(system).toMatch(/^Be brief\.[\s|]+Be kind\.$/)
    // At its place, and not at the top, where it would change what the server has in its cache.
    expect(user).toMatch(/^Look\.[\s|]+<system>\|?Agents: none\.\|?<\/system>$/)
    expect(result).toBe('A tree.')
    expect(late).toBe('<system>Two files changed.</system>')
  })
})

test('the beginning of a conversation stays the same when more follows', async () => {
  const server = strictServer()
  const gateway = createGateway(configOf(), { send: server.send, env: {} })
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'One.' },
    { role: 'system', content: 'The time is 1.' },
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Two.' },
    { role: 'system', content: 'The time is 2.' },
  ]
  const sent = async (count: number): Promise<string[]> => {
    const body = { model: 'local/m', messages: messages.slice(0, count) }
    await gateway.fetch(postRequest('/v1/chat/completions', body))
    return messagesOf(lastBody(server)).map((message) => JSON.stringify(message))
  }
  const [first, second] = [await sent(3), await sent(6)]
  expect(second.slice(0, first.length)).toEqual(first)
})

test('what needs no change goes as it came, also to servers that are strict', async () => {
  const server = strictServer()
  const gateway = createGateway(configOf(), { send: server.send, env: {} })
  const body = {
    messages: [
      { role: 'system', content: 'Be brief.', name: 's' },
      { role: 'user', content: [{ type: 'text', text: 'Look.' }], own: 1 },
    ],
    top_k: 5,
    own_field: { a: [1] },
    max_tokens: 7,
  }
  await gateway.fetch(postRequest('/v1/chat/completions', { ...body, model: 'local/m' }))
  expect(lastBody(server)).toEqual({ ...body, model: 'm' })
})

test('OpenAI gets system messages and developers where the client has them', async () => {
  const server = strictServer()
  const gateway = createGateway(configOf(), { send: server.send, env: {} })
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'developer', content: 'Be kind.' },
    { role: 'user', content: 'Look.' },
    { role: 'system', content: 'Now.' },
  ]
  const body = { model: 'theirs/gpt-5', messages, store: false }
  await gateway.fetch(postRequest('/v1/chat/completions', body))
  expect(lastBody(server)).toEqual({ ...body, model: 'gpt-5' })
})

test.each([
  ['chat', 'local/m'],
  ['anthropic', 'local/m'],
  ['ollama', 'ollama/m'],
  ['chat', 'ollama/m'],
] as const)(
  'the configuration can say that templates take them anywhere: %s to %s',
  async (kind, model) => {
    const server = strictServer()
    const config = configOf({ systemMessages: 'anywhere' })
    const gateway = createGateway(config, { send: server.send, env: {} })
    await gateway.fetch((ASKED[kind] as (typeof ASKED)[string])(model, false))
    expect(messagesOf(lastBody(server)).at(-1)).toEqual({
      role: 'system',
      content: 'Two files changed.',
    })
  },
)

test('one model of a provider can be told apart', async () => {
  const server = strictServer()
  const models = { free: { chain: ['local/m'], systemMessages: 'anywhere' as const } }
  const gateway = createGateway({ ...configOf(), models }, { send: server.send, env: {} })
  const ask = ASKED['chat'] as (typeof ASKED)[string]
  await gateway.fetch(ask('free', false))
  expect(messagesOf(lastBody(server)).at(-1)).toMatchObject({ role: 'system' })
  await gateway.fetch(ask('local/m', false))
  expect(messagesOf(lastBody(server)).at(-1)).toMatchObject({ role: 'user' })
})

describe('what a service lacks is left out of a request that passes', () => {
  async function passed(provider: string, body: object): Promise<JsonObject> {
    const server = strictServer()
    const providers = { p: { provider, baseUrl: 'http://p.test/v1', apiKey: 'k' } }
    const gateway = createGateway({ demo: false, providers }, { send: server.send, env: {} })
    const messages = [{ role: 'user', content: 'Look.' }]
    await gateway.fetch(postRequest('/v1/chat/completions', { model: 'p/m', messages, ...body }))
    return lastBody(server)
  }

  test('the limit of a reply has the name that the service knows', async () => {
    const older = await passed('vllm', { max_completion_tokens: 9 })
    expect(older).toMatchObject({ max_tokens: 9 })
    expect(older).not.toHaveProperty('max_completion_tokens')
    const newer = await passed('openai', { max_tokens: 9 })
    expect(newer).toMatchObject({ max_completion_tokens: 9 })
    expect(newer).not.toHaveProperty('max_tokens')
    const both = await passed('vllm', { max_tokens: 8, max_completion_tokens: 9 })
    expect(both).toMatchObject({ max_tokens: 9 })
  })

  test('fields of OpenAI alone', async () => {
    const body = await passed('vllm', { store: true, service_tier: 'flex', verbosity: 'low' })
    expect(Object.keys(body)).toEqual(['model', 'messages'])
  })

  test('strict tools, a switch for parallel calls, usage in streams', async () => {
    const tools = [{ type: 'function', function: { ...TOOL, strict: true } }]
    const body = await passed('zai', { tools, parallel_tool_calls: true, stream_options: {} })
    expect(body['tools']).toEqual([{ type: 'function', function: TOOL }])
    expect(body).not.toHaveProperty('parallel_tool_calls')
    expect(body).not.toHaveProperty('stream_options')
  })

  test('a choice of tools; tools that must not be called are not offered', async () => {
    const tools = [{ type: 'function', function: TOOL }]
    const forced = await passed('zai', { tools, tool_choice: 'required' })
    expect(forced).not.toHaveProperty('tool_choice')
    expect(forced).toHaveProperty('tools')
    const forbidden = await passed('zai', { tools, tool_choice: 'none' })
    expect(forbidden).not.toHaveProperty('tools')
  })

  test('parts, where content must be text', async () => {
    const content = [
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ]
    const body = await passed('deepseek', { messages: [{ role: 'user', content }] })
    expect(messagesOf(body)).toEqual([{ role: 'user', content: 'One.\nTwo.' }])
  })
})
