/** What Claude Code sends, on the way to services that are not Anthropic's, and to Anthropic itself. */
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
  },
}

const BILLING = 'x-anthropic-billing-header: cc_version=2.1; cch=0a1b2;'
const SCHEMA = { type: 'object', properties: {} }
const REQUEST: JsonObject = {
  max_tokens: 100,
  system: [
    { type: 'text', text: BILLING },
    { type: 'text', text: 'Be kind.' },
  ],
  tools: [
    { name: 'ToolSearch', input_schema: SCHEMA },
    { name: 'DeferredToolPlaceholder', input_schema: SCHEMA, defer_loading: true },
    { name: 'tide', description: 'The tide.', input_schema: SCHEMA, defer_loading: true },
    { name: 'moon', input_schema: SCHEMA, defer_loading: true },
  ],
  messages: [
    { role: 'user', content: 'When is high water?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 't1',
          content: [{ type: 'tool_reference', tool_name: 'tide' }],
        },
      ],
    },
  ],
}

function replyTo(path: string, isStream: boolean): Response {
  if (path.endsWith('/chat/completions')) {
    const message = { role: 'assistant', content: 'At six.' }
    if (!isStream) return Response.json({ choices: [{ message, finish_reason: 'stop' }] })
    const choices = JSON.stringify([{ index: 0, delta: message, finish_reason: 'stop' }])
    return sseResponse(`{"choices": ${choices}}`, '[DONE]')
  }
  const content = [{ type: 'text', text: 'At six.' }]
  const whole = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage: {} }
  if (!isStream) return Response.json(whole)
  return sseResponse(
    '{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"At six."}}',
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}',
    '{"type":"message_stop"}',
  )
}

/** What the provider is sent for the request, and the lane that it took. */
async function sentTo(
  model: string,
  stream: boolean,
): Promise<{ readonly body: JsonObject; readonly lane: string | null }> {
  const providers = fakeProviders(({ url }) => replyTo(new URL(url).pathname, stream))
  const gateway = createGateway(CONFIG, { send: providers.send, env: {} })
  const response = await gateway.fetch(postRequest('/v1/messages', { ...REQUEST, model, stream }))
  expect(await response.text()).toContain('At six.')
  return {
    body: providers.requests[0]?.body ?? {},
    lane: response.headers.get('x-toolglot-lane'),
  }
}

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('%s', (_, stream) => {
  test.each([
    ['chat/qwen3', 'translate'],
    ['messages/qwen3', 'pass'],
  ] as const)('%s', async (model, wanted) => {
    const { body, lane } = await sentTo(model, stream)
    expect(lane).toBe(wanted)
    const sent = JSON.stringify(body)
    expect(sent).not.toMatch(/x-anthropic-billing|Placeholder|"moon"|tool_reference|defer_loading/)
    expect(sent).toContain('Be kind.')
    expect(sent).toContain('<functions>\\n<function>{\\"description\\":\\"The tide.\\"')
    expect(body['tools']).toHaveLength(2)
  })

  test('Anthropic gets all of it as it is', async () => {
    const { body, lane } = await sentTo('messages/claude-opus-5', stream)
    expect(lane).toBe('pass')
    expect(body).toEqual({ ...REQUEST, model: 'claude-opus-5', stream })
  })
})
