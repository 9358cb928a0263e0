/** A model that turns out to have no native tools, in both lanes of the gateway. */
import { describe, expect, test } from 'vitest'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import {
  type FakeProviders,
  fakeProviders,
  postRequest,
  sseResponse,
} from '../support/gateway-send.ts'

const IN_TEXT = '~~~tool_call\n{"name": "sound", "arguments": {"lake": "Eibsee"}}\n~~~'
const TOOL = { name: 'sound', parameters: { type: 'object', properties: {} } }
const MESSAGES = [{ role: 'user', content: 'How deep is it?' }]

/** A chat service whose model `plain` refuses tools. */
function services(): FakeProviders {
  return fakeProviders(({ body }) => {
    const isStream = body['stream'] === true
    if (body['model'] !== 'plain' && 'tools' in body) {
      const call = {
        index: 0,
        id: 'c1',
        type: 'function',
        function: { name: 'sound', arguments: '{}' },
      }
      return chat({ role: 'assistant', content: null, tool_calls: [call] }, 'tool_calls', isStream)
    }
    if ('tools' in body) {
      return Response.json({ error: { message: 'plain does not support tools' } }, { status: 400 })
    }
    return chat({ role: 'assistant', content: IN_TEXT }, 'stop', isStream)
  })
}

function chat(message: object, reason: string, isStream: boolean): Response {
  if (!isStream) return Response.json({ choices: [{ message, finish_reason: reason }] })
  const choices = JSON.stringify([{ index: 0, delta: message, finish_reason: reason }])
  return sseResponse(`{"choices": ${choices}}`, '[DONE]')
}

const CONFIG: GatewayConfig = {
  demo: false,
  providers: {
    local: { provider: 'openai-compatible', baseUrl: 'http://models.test/v1' },
  },
  models: {
    chain: { chain: ['local/plain', 'local/able'], toolFallback: 'skip' },
    alone: { chain: ['local/plain'], toolFallback: 'skip' },
  },
}

function openaiRequest(model: string, stream: boolean): Request {
  const tools = [{ type: 'function', function: TOOL }]
  return postRequest('/v1/chat/completions', { model, messages: MESSAGES, tools, stream })
}

function anthropicRequest(model: string, stream: boolean): Request {
  const tools = [{ name: 'sound', input_schema: TOOL.parameters }]
  return postRequest('/v1/messages', { model, messages: MESSAGES, tools, stream, max_tokens: 100 })
}

async function ask(gateway: Gateway, request: Request): Promise<string> {
  const response = await gateway.fetch(request)
  expect(response.status).toBe(200)
  return response.text()
}

const withTools = ({ requests }: FakeProviders): string[] =>
  requests.filter(({ body }) => 'tools' in body).map(({ body }) => String(body['model']))

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('%s', (_, stream) => {
  test.each([
    ['pass, then translate', [openaiRequest, anthropicRequest, openaiRequest]],
    ['translate, then pass', [anthropicRequest, openaiRequest, anthropicRequest]],
  ] as const)('tools are refused once for both lanes: %s', async (_name, requests) => {
    const providers = services()
    const gateway = createGateway(CONFIG, { send: providers.send, env: {} })
    for (const request of requests) {
      expect(await ask(gateway, request('local/plain', stream))).toContain('Eibsee')
    }
    expect(withTools(providers)).toEqual(['plain'])
    expect(providers.requests).toHaveLength(4)
  })

  test('it is remembered when the configuration is loaded again', async () => {
    const providers = services()
    const gateway = createGateway(CONFIG, { send: providers.send, env: {} })
    await ask(gateway, openaiRequest('local/plain', stream))
    gateway.reload({ ...CONFIG, limits: { concurrency: 5 } })
    await ask(gateway, openaiRequest('local/plain', stream))
    await ask(gateway, openaiRequest('alone', stream))
    expect(withTools(providers)).toEqual(['plain'])
  })

  test('but not for another address', async () => {
    const providers = services()
    const gateway = createGateway(CONFIG, { send: providers.send, env: {} })
    await ask(gateway, openaiRequest('local/plain', stream))
    const local = { ...CONFIG.providers?.['local'], baseUrl: 'http://others.test/v1' }
    gateway.reload({ ...CONFIG, providers: { local } })
    await ask(gateway, openaiRequest('local/plain', stream))
    expect(withTools(providers)).toEqual(['plain', 'plain'])
  })

  test.each([openaiRequest, anthropicRequest])(
    "toolFallback 'skip' goes on to the next model of the chain",
    async (request) => {
      const providers = services()
      const gateway = createGateway(CONFIG, { send: providers.send, env: {} })
      const response = await gateway.fetch(request('chain', stream))
      expect(response.headers.get('x-toolglot-model')).toBe('local/able')
      expect(await response.text()).toMatch(/tool_calls|tool_use/)
      expect(withTools(providers)).toEqual(['plain', 'able'])
      expect(providers.requests).toHaveLength(2)
    },
  )
})
