import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import type { Tool } from '../core/model.ts'
import { startUpstream, type Upstream } from '../testing/upstream.ts'
import { type ClientOptions, createClient } from './create-client.ts'

let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())

const tools: readonly Tool[] = [
  {
    name: 'get_tide',
    description: 'When the water is high.',
    inputSchema: {
      type: 'object',
      properties: { harbour: { type: 'string' }, day: { type: 'integer' } },
      required: ['harbour'],
    },
  },
]
const messages = [{ role: 'user', content: 'When is high water in Husum?' }] as const

function reply(fields: Partial<ChatResponse['message']>): ChatResponse {
  return {
    id: 'reply_7',
    model: 'scripted',
    message: { role: 'assistant', content: '', ...fields },
    finishReason: fields.toolCalls ? 'tool-calls' : 'stop',
    usage: { inputTokens: 20, outputTokens: 9, totalTokens: 29 },
    issues: [],
  }
}

const nativeCall = {
  id: 'call_tide1',
  name: 'get_tide',
  arguments: { harbour: 'Husum', day: 3 },
  origin: 'native',
} as const

const leaked =
  'Let me look.\n<tool_call>\n{"name": "get_tide", "arguments": {"harbour": "Husum", "day": "3"}}\n</tool_call>'
const tagged =
  'One moment.\n~~~tool_call\n{"name": "get_tide", "arguments": {"harbour": "Husum", "day": 3}}\n~~~'

/** The providers whose dialects the upstream speaks, at its address. */
const PROVIDERS = [
  ['openai-compatible', 'some-model', '/v1'],
  ['openai', 'gpt-5.6', '/v1'],
  ['anthropic', 'claude-sonnet-5', ''],
  ['google', 'gemini-3-pro', '/v1beta'],
  ['bedrock', 'anthropic.claude-sonnet-5:0', ''],
  ['ollama', 'llama4', ''],
  ['mistral', 'mistral-large', '/mistral/v1'],
  ['cohere', 'command-a', ''],
] as const

function clientOf(
  [provider, model, path]: (typeof PROVIDERS)[number],
  more: Partial<ClientOptions> = {},
) {
  return createClient({
    provider,
    model,
    apiKey: 'key-for-tests',
    baseUrl: upstream.url + path,
    env: {},
    retries: 0,
    ...more,
  })
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

describe.for(PROVIDERS)('%s', (row) => {
  it('takes tools and answers with calls, whole and streamed', async () => {
    upstream.play({ reply: reply({ content: 'I look.', toolCalls: [nativeCall] }) })
    const client = clientOf(row)
    const whole = await client.complete({ messages, tools })
    const stream = client.stream({ messages, tools })
    const events = await collect(stream)
    const streamed = await stream.response
    for (const { message, finishReason } of [whole, streamed]) {
      expect(message.toolCalls).toMatchObject([
        { name: 'get_tide', arguments: { harbour: 'Husum', day: 3 }, origin: 'native' },
      ])
      expect(finishReason).toBe('tool-calls')
    }
    expect(streamed.message.content).toEqual(whole.message.content)
    expect(events.filter(({ type }) => type === 'call-end')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('finish')
  })

  it('finds calls that leaked into the text, whole and streamed', async () => {
    upstream.play({ reply: leaked })
    const client = clientOf(row)
    const whole = await client.complete({ messages, tools })
    const stream = client.stream({ messages, tools })
    const events = await collect(stream)
    for (const { message, finishReason } of [whole, await stream.response]) {
      expect(message.toolCalls).toMatchObject([
        { name: 'get_tide', arguments: { harbour: 'Husum', day: 3 }, origin: 'text' },
      ])
      expect(message.content).toBe('Let me look.\n')
      expect(finishReason).toBe('tool-calls')
    }
    expect(events.some(({ type }) => type === 'call-end')).toBe(true)
    expect(textIn(events)).toBe('Let me look.\n')
  })

  it('speaks of tools in words when told to, whole and streamed', async () => {
    upstream.play({ reply: tagged })
    const client = clientOf(row, { toolMode: 'text' })
    const history = [
      ...messages,
      { role: 'assistant', content: '', toolCalls: [nativeCall] },
      { role: 'tool', content: '', toolResults: [{ callId: 'call_tide1', content: 'at 14:10' }] },
      { role: 'user', content: 'And the day after?' },
    ] as const
    const whole = await client.complete({ messages: history, tools })
    const sent = JSON.stringify(upstream.requests.at(-1)?.body)
    expect(sent).toContain('~~~tool_call')
    expect(sent).toContain('~~~tool_result\\nget_tide:\\nat 14:10\\n~~~')
    expect(sent).not.toMatch(/"(?:tool_calls|tools|toolConfig|tool_use|functionCall|toolUse)":/)
    const stream = client.stream({ messages: history, tools })
    for (const { message, finishReason } of [whole, await stream.response]) {
      expect(message.toolCalls).toMatchObject([{ name: 'get_tide', protocol: 'text-tagged' }])
      expect(finishReason).toBe('tool-calls')
    }
  })
})

function textIn(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}
