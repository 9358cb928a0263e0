/** Messages of the AI SDK in the neutral model, and back. */
import { type ModelMessage, modelMessageSchema } from 'ai'
import { describe, expect, test } from 'vitest'
import { fromModelMessages, toModelMessages } from '../../src/ai-sdk/messages.ts'
import { toPrompt } from '../../src/ai-sdk/prompt.ts'
import type { Message } from '../../src/core/model.ts'

const PIXEL = 'iVBORw0KGgo='
const options = { acme: { cacheControl: { type: 'ephemeral' } } }

type Outputs = Extract<ModelMessage, { role: 'tool' }>['content']

function results(...outputs: readonly unknown[]): ModelMessage {
  const content = outputs.map((output, at) => ({
    type: 'tool-result' as const,
    toolCallId: `c${at}`,
    toolName: 'look_up',
    output,
  }))
  // Every kind of output, which the type only allows one by one.
  return { role: 'tool', content: content as Outputs }
}

const cases: Record<string, ModelMessage[]> = {
  'a system prompt with options': [
    { role: 'system', content: 'Be brief.', providerOptions: options },
  ],
  'plain turns': [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hi.' },
  ],
  'images and files': [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?', providerOptions: options },
        { type: 'image', image: PIXEL, mediaType: 'image/png' },
        { type: 'image', image: 'https://example.org/fjord.jpg' },
        { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'map.pdf' },
      ],
    },
  ],
  'reasoning, text and calls in an order of their own': [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'First.' },
        { type: 'reasoning', text: 'Hmm.', providerOptions: { acme: { signature: 's1' } } },
        { type: 'tool-call', toolCallId: 'c0', toolName: 'look_up', input: { key: 'a' } },
        { type: 'text', text: 'Then.' },
        { type: 'reasoning', text: 'Ah.', providerOptions: { acme: { redactedData: 'x' } } },
      ],
      providerOptions: options,
    },
  ],
  'calls that the provider ran, and approvals': [
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 's0',
          toolName: 'search',
          input: { query: 'fjords' },
          providerExecuted: true,
        },
        {
          type: 'tool-result',
          toolCallId: 's0',
          toolName: 'search',
          output: { type: 'json', value: [1, 2] },
        },
        { type: 'tool-call', toolCallId: 'c0', toolName: 'look_up', input: {} },
        { type: 'tool-approval-request', approvalId: 'a0', toolCallId: 'c0' },
      ],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'a0', approved: true }],
    },
  ],
  'outputs of every kind': [
    results(
      { type: 'text', value: 'fine' },
      { type: 'json', value: { degrees: 7 } },
      { type: 'error-text', value: '[ERROR:ENOENT] no such file' },
      { type: 'error-json', value: { code: 3 } },
      { type: 'execution-denied', reason: 'not on Sundays' },
      { type: 'execution-denied' },
      {
        type: 'content',
        value: [
          { type: 'text', text: 'see' },
          { type: 'image-data', data: PIXEL, mediaType: 'image/png' },
          { type: 'image-url', url: 'https://example.org/fjord.jpg' },
          {
            type: 'file-data',
            data: 'JVBERi0=',
            mediaType: 'application/pdf',
            filename: 'map.pdf',
          },
          { type: 'file-url', url: 'https://example.org/map.pdf' },
          { type: 'file-id', fileId: 'f1' },
          { type: 'media', data: PIXEL, mediaType: 'image/png' },
        ],
      },
    ),
  ],
}

test.for(Object.entries(cases))('%s come back as they were', ([, messages]) => {
  const neutral = fromModelMessages(messages)
  expect(JSON.parse(JSON.stringify(neutral))).toEqual(neutral)
  const back = toModelMessages(neutral)
  expect(JSON.parse(JSON.stringify(back))).toEqual(messages)
  for (const message of back) modelMessageSchema.parse(message)
})

describe('in the neutral model', () => {
  test('an assistant speaks, thinks and calls', () => {
    const [message] = fromModelMessages(
      cases['reasoning, text and calls in an order of their own'] ?? [],
    )
    expect(message).toMatchObject({
      role: 'assistant',
      content: 'First.Then.',
      reasoning: 'Hmm.Ah.',
      toolCalls: [{ id: 'c0', name: 'look_up', arguments: { key: 'a' }, origin: 'native' }],
    })
  })

  test('results say whether they failed, and why', () => {
    const [message] = fromModelMessages(cases['outputs of every kind'] ?? [])
    const told = message?.toolResults?.map(({ content, isError, errorCode }) => {
      return [typeof content === 'string' ? content : content.length, isError ?? false, errorCode]
    })
    expect(told).toEqual([
      ['fine', false, undefined],
      ['{"degrees":7}', false, undefined],
      ['no such file', true, 'ENOENT'],
      ['{"code":3}', true, undefined],
      ['not on Sundays', true, 'Denied'],
      ['Tool execution denied.', true, 'Denied'],
      [7, false, undefined],
    ])
  })

  test('what the provider ran is not ours to answer', () => {
    const [message] = fromModelMessages(cases['calls that the provider ran, and approvals'] ?? [])
    expect(message?.toolCalls?.map(({ id }) => id)).toEqual(['c0'])
  })

  test('bytes are base64, and addresses are addresses', () => {
    const bytes = new TextEncoder().encode('fjord')
    const [message] = fromModelMessages([
      {
        role: 'user',
        content: [
          { type: 'image', image: bytes },
          { type: 'image', image: bytes.buffer.slice(0) },
          { type: 'image', image: new URL('https://example.org/fjord.jpg') },
          { type: 'image', image: 'data:image/gif;base64,ZmpvcmQ' },
          { type: 'file', data: bytes, mediaType: 'image/png' },
        ],
      },
    ])
    expect(message?.content).toEqual([
      { type: 'image', data: 'ZmpvcmQ=' },
      { type: 'image', data: 'ZmpvcmQ=' },
      { type: 'image', url: 'https://example.org/fjord.jpg' },
      { type: 'image', mediaType: 'image/gif', data: 'ZmpvcmQ' },
      { type: 'image', mediaType: 'image/png', data: 'ZmpvcmQ=' },
    ])
  })
})

describe('from the neutral model', () => {
  const neutral: Message[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'image', url: 'https://example.org/fjord.jpg' }] },
    {
      role: 'assistant',
      content: 'Let me see.',
      reasoning: 'Hmm.',
      toolCalls: [{ id: 'c0', name: 'look_up', arguments: { key: 'a' }, origin: 'native' }],
    },
    {
      role: 'tool',
      content: '',
      toolResults: [
        { callId: 'c0', name: 'look_up', content: 'gone', isError: true, errorCode: 'ENOENT' },
      ],
    },
    { role: 'assistant', content: 'It is gone.' },
  ]

  test('messages come back as they were', () => {
    const messages = toModelMessages(neutral)
    for (const message of messages) modelMessageSchema.parse(message)
    expect(fromModelMessages(messages)).toEqual(neutral)
  })

  test('a result without a name gets that of its call', () => {
    const [, , call, result] = neutral
    if (!call || !result) throw new Error('the sample has both')
    const toolResults = [{ callId: 'c0', content: 'found' }]
    const [, message] = toModelMessages([call, { ...result, toolResults }])
    expect(message?.content).toMatchObject([{ toolName: 'look_up' }])
  })

  test('a message that was changed is written anew, with its options', () => {
    const [message] = fromModelMessages(
      cases['reasoning, text and calls in an order of their own'] ?? [],
    )
    if (!message) throw new Error('the sample has one')
    const { toolCalls: _, ...rest } = message
    expect(toModelMessages([{ ...rest, content: 'Another thing.' }])).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hmm.Ah.' },
          { type: 'text', text: 'Another thing.' },
        ],
        providerOptions: options,
      },
    ])
  })

  test('what is said beside results comes from the user', () => {
    const message: Message = { role: 'tool', content: 'See above.', toolResults: [] }
    expect(toModelMessages([message])).toEqual([{ role: 'user', content: 'See above.' }])
  })
})

test('a prompt has addresses as objects, and images as files', () => {
  const messages = fromModelMessages(cases['images and files'] ?? [])
  expect(toPrompt(messages)).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?', providerOptions: options },
        { type: 'file', data: PIXEL, mediaType: 'image/png' },
        { type: 'file', data: new URL('https://example.org/fjord.jpg'), mediaType: 'image/*' },
        { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'map.pdf' },
      ],
    },
  ])
})
