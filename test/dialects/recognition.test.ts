/** Every dialect knows its own bodies, and takes nobody else's. */
import { describe, expect, test } from 'vitest'
import type { ChatResponse } from '../../src/core/chat.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { allDialects, getDialect } from '../../src/dialects/registry.ts'
import { heal, transcode } from '../../src/dialects/transcode.ts'
import { requests, responses } from './samples.ts'

/** Requests so plain that they mean the same in both. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['openai-chat'],
  cohere: ['openai-chat'],
  mistral: ['openai-chat'],
  ollama: ['openai-chat'],
}

function recognised(body: unknown): string | undefined {
  return allDialects.find((dialect) => dialect.shapeOf(body as never) !== undefined)?.id
}

describe.for(allDialects.map((dialect) => [dialect.id, dialect] as const))(
  '%s',
  ([id, dialect]) => {
    test.for(Object.entries(responses))('reply %s', ([, response]) => {
      const body = dialect.encodeResponse(response)
      const names = [id, ...(id === 'mistral' ? ['openai-chat'] : [])]
      expect(names).toContain(recognised(body))
    })

    test('a reply is one when its dialect is named', () => {
      const body = dialect.encodeResponse(responses['calls'] as ChatResponse) // see samples
      expect(transcode(body, { from: dialect, to: 'openai-chat' })).toHaveProperty('choices')
    })

    test.for(Object.entries(requests))('request %s', ([, request]) => {
      const body = dialect.encodeRequest(request)
      expect([id, ...(ALIKE[id] ?? [])]).toContain(recognised(body))
    })
  },
)

/** The same conversation in each form. */
const LISTS: Readonly<Record<string, JsonValue[]>> = {
  'openai-chat': [
    { role: 'user', content: 'High water?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'tide', arguments: '{"port":"Bergen"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '14:20' },
  ],
  'openai-responses': [
    { role: 'user', content: 'High water?' },
    { type: 'function_call', call_id: 'call_1', name: 'tide', arguments: '{"port":"Bergen"}' },
    { type: 'function_call_output', call_id: 'call_1', output: '14:20' },
  ],
  anthropic: [
    { role: 'user', content: 'High water?' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call_1', name: 'tide', input: { port: 'Bergen' } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '14:20' }] },
  ],
  bedrock: [
    { role: 'user', content: [{ text: 'High water?' }] },
    {
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 'call_1', name: 'tide', input: { port: 'Bergen' } } }],
    },
    {
      role: 'user',
      content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: '14:20' }] } }],
    },
  ],
  gemini: [
    { role: 'user', parts: [{ text: 'High water?' }] },
    {
      role: 'model',
      parts: [{ functionCall: { id: 'call_1', name: 'tide', args: { port: 'Bergen' } } }],
    },
    {
      role: 'user',
      parts: [{ functionResponse: { id: 'call_1', name: 'tide', response: { output: '14:20' } } }],
    },
  ],
  ollama: [
    { role: 'user', content: 'High water?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'call_1', function: { index: 0, name: 'tide', arguments: { port: 'Bergen' } } },
      ],
    },
    { role: 'tool', tool_name: 'tide', tool_call_id: 'call_1', content: '14:20' },
  ],
  neutral: [
    { role: 'user', content: 'High water?' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call_1', name: 'tide', arguments: { port: 'Bergen' }, origin: 'native' }],
    },
    { role: 'tool', content: '', toolResults: [{ callId: 'call_1', content: '14:20' }] },
  ],
}

test.for(Object.entries(LISTS))('a list of messages, %s', ([, list]) => {
  expect(transcode(list, { to: 'openai-chat' })).toMatchObject(LISTS['openai-chat'] as JsonValue[])
})

test('a list stays a list, unless there is a system prompt', () => {
  const list = LISTS['openai-chat'] as JsonValue[]
  expect(transcode(list, { to: 'anthropic' })).toMatchObject(LISTS['anthropic'] as JsonValue[])
  const system = { role: 'system', content: 'Be brief.' }
  expect(transcode([system, ...list], { to: getDialect('anthropic') })).toMatchObject({
    system: 'Be brief.',
    messages: LISTS['anthropic'],
  })
})

test('a list says nothing about a request that it is not in', () => {
  const told: string[] = []
  const report = ({ code }: { readonly code: string }): void => void told.push(code)
  const list = LISTS['openai-chat'] as JsonValue[]
  transcode(list, { to: 'anthropic', report })
  heal(LISTS['anthropic'] as JsonObject[], 'anthropic', { report })
  expect(told).toEqual([])
})
