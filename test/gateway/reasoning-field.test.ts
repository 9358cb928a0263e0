/** Reasoning of earlier turns, in the field that the server reads, in both lanes. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { GatewayConfig, ProviderConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type FakeProviders, postRequest } from '../support/gateway-send.ts'
import { messagesOf, strictServer } from '../support/strict-server.ts'

const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
const TOOL = { name: 'look', parameters: { type: 'object', properties: {} } }
const THOUGHT = 'I should look.'

function anthropicRequest(stream = false, model = 'p/m'): Request {
  return postRequest('/v1/messages', {
    model,
    stream,
    max_tokens: 100,
    tools: [{ name: 'look', input_schema: TOOL.parameters }],
    messages: [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: THOUGHT, signature: 's' },
          { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'A tree.' }],
      },
    ],
  })
}

function chatRequest(field: string, stream = false): Request {
  return postRequest('/v1/chat/completions', {
    model: 'p/m',
    stream,
    tools: [{ type: 'function', function: TOOL }],
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: null, tool_calls: [CALL], [field]: THOUGHT },
      { role: 'tool', tool_call_id: 'call_1', content: 'A tree.' },
    ],
  })
}

function gatewayFor(
  server: FakeProviders,
  own: Partial<ProviderConfig> & { provider: string },
): Gateway {
  const config: GatewayConfig = {
    demo: false,
    providers: { p: { baseUrl: 'http://p.test/v1', apiKey: 'k', ...own } },
  }
  return createGateway(config, { send: server.send, env: {} })
}

/** The fields of the assistant's message that was sent last which have its reasoning. */
function thought({ requests }: FakeProviders): JsonObject {
  const message = messagesOf(requests.at(-1)?.body ?? {}).find(({ role }) => role === 'assistant')
  const { role: _, content: __, tool_calls: ___, ...rest } = message ?? {}
  return rest
}

describe.each([
  ['vllm', 'reasoning'],
  ['sglang', 'reasoning_content'],
  ['llama-cpp', 'reasoning_content'],
  ['lm-studio', 'reasoning_content'],
  ['openai-compatible', 'reasoning_content'],
  ['groq', 'reasoning'],
] as const)('%s', (provider, field) => {
  test(`gets ${field} from clients of other dialects`, async () => {
    const server = strictServer()
    await gatewayFor(server, { provider }).fetch(anthropicRequest())
    expect(thought(server)).toEqual({ [field]: THOUGHT })
  })

  test.each(['reasoning', 'reasoning_content'])('and from clients that send %s', async (sent) => {
    const server = strictServer()
    await gatewayFor(server, { provider }).fetch(chatRequest(sent))
    expect(thought(server)).toEqual({ [field]: THOUGHT })
  })
})

test('Ollama gets it as `thinking`', async () => {
  const server = strictServer()
  await gatewayFor(server, { provider: 'ollama' }).fetch(anthropicRequest())
  expect(thought(server)).toMatchObject({ thinking: THOUGHT })
})

test('a model may have its own field at one provider', async () => {
  const server = strictServer()
  const gateway = gatewayFor(server, { provider: 'lm-studio' })
  await gateway.fetch(anthropicRequest(false, 'p/openai/gpt-oss-20b'))
  expect(thought(server)).toEqual({ reasoning: THOUGHT })
})

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('the replies say which field the server has: %s', (_, stream) => {
  test.each([
    ['translated', () => anthropicRequest(stream)],
    ['passed', () => chatRequest('reasoning', stream)],
  ] as const)('%s', async (_lane, request) => {
    const server = strictServer({ reasons: 'reasoning_content' })
    const gateway = gatewayFor(server, { provider: 'vllm' })
    await (await gateway.fetch(request())).text()
    expect(thought(server)).toEqual({ reasoning: THOUGHT })
    await (await gateway.fetch(anthropicRequest(stream))).text()
    expect(thought(server)).toEqual({ reasoning_content: THOUGHT })
    await (await gateway.fetch(chatRequest('reasoning', stream))).text()
    expect(thought(server)).toEqual({ reasoning_content: THOUGHT })
  })
})

describe('a server that refuses the field', () => {
  test.each([
    ['translated', () => anthropicRequest()],
    ['passed', () => chatRequest('reasoning_content')],
  ] as const)('is asked again without, and never again with it: %s', async (_, request) => {
    const server = strictServer({ refuses: ['reasoning_content', 'reasoning'] })
    const gateway = gatewayFor(server, { provider: 'sglang' })
    const response = await gateway.fetch(request())
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Done.')
    expect(thought(server)).toEqual({})
    expect(server.requests).toHaveLength(2)
    for (const again of [anthropicRequest(), chatRequest('reasoning')]) {
      expect((await gateway.fetch(again)).status).toBe(200)
      expect(thought(server)).toEqual({})
    }
    expect(server.requests).toHaveLength(4)
  })

  test('has another field in its replies, and gets that', async () => {
    const server = strictServer({ refuses: ['reasoning_content'], reasons: 'reasoning' })
    const gateway = gatewayFor(server, { provider: 'sglang' })
    await gateway.fetch(anthropicRequest())
    await gateway.fetch(anthropicRequest())
    expect(thought(server)).toEqual({ reasoning: THOUGHT })
  })
})

describe('the configuration goes before all that', () => {
  test.each([() => anthropicRequest(), () => chatRequest('reasoning')])(
    'a field',
    async (request) => {
      const server = strictServer({ reasons: 'reasoning' })
      const gateway = gatewayFor(server, { provider: 'vllm', reasoningField: 'reasoning_content' })
      await gateway.fetch(request())
      await gateway.fetch(request())
      expect(thought(server)).toEqual({ reasoning_content: THOUGHT })
    },
  )

  test.each([
    ['vllm', () => anthropicRequest()],
    ['vllm', () => chatRequest('reasoning')],
    ['ollama', () => anthropicRequest()],
  ] as const)('none: %s', async (provider, request) => {
    const server = strictServer()
    await gatewayFor(server, { provider, reasoningField: false }).fetch(request())
    expect(thought(server)).not.toHaveProperty('thinking')
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain(THOUGHT)
  })
})
