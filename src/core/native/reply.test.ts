import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readNative } from './reply.ts'

interface Expected {
  readonly names?: readonly string[]
  readonly text?: string
  readonly reasoning?: string
  readonly finishReason?: string | undefined
}

const openaiCall = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }

const replies: readonly [what: string, reply: unknown, expected: Expected][] = [
  ['an empty list', [], {}],
  [
    'a list of calls',
    [openaiCall, { name: 'time' }],
    { names: ['weather', 'time'], finishReason: 'tool-calls' },
  ],
  [
    'a list of content blocks',
    [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'Wait.' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
      { type: 'tool_use', id: 't1', name: 'weather', input: {} },
    ],
    { names: ['weather'], text: 'Wait.', reasoning: 'Hm.', finishReason: 'tool-calls' },
  ],
  [
    'a list of output items',
    [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Wait.' }] },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
    ],
    { names: ['weather'], text: 'Wait.', finishReason: 'tool-calls' },
  ],
  ['a call on its own', openaiCall, { names: ['weather'], finishReason: 'tool-calls' }],
  [
    'an assistant message',
    { role: 'assistant', content: 'Wait.', tool_calls: [openaiCall], reasoning_content: 'Hm.' },
    { names: ['weather'], text: 'Wait.', reasoning: 'Hm.', finishReason: 'tool-calls' },
  ],
  [
    'a message with the function call of old',
    { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } },
    { names: ['weather'], finishReason: 'tool-calls' },
  ],
  [
    'a message without a role, with text and the function call of old',
    { content: 'Wait.', function_call: { name: 'weather', arguments: '{}' } },
    { names: ['weather'], text: 'Wait.', finishReason: 'tool-calls' },
  ],
  [
    'a message with a call in both spellings',
    {
      role: 'assistant',
      tool_calls: [openaiCall],
      function_call: { name: 'weather', arguments: '{}' },
    },
    { names: ['weather'], finishReason: 'tool-calls' },
  ],
  [
    'a message of our own',
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'Wait.' }],
      reasoning: 'Hm.',
      toolCalls: [{ id: 'c1', name: 'weather', arguments: {}, origin: 'text' }],
    },
    { names: ['weather'], text: 'Wait.', reasoning: 'Hm.', finishReason: 'tool-calls' },
  ],
  [
    'text and calls side by side',
    { text: 'Wait.', tool_calls: [{ name: 'weather' }] },
    { names: ['weather'], text: 'Wait.', finishReason: 'tool-calls' },
  ],
  ['text and no calls', { text: 'Hello.', tool_calls: null }, { text: 'Hello.' }],
  [
    'OpenAI Chat',
    {
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [openaiCall] },
          finish_reason: 'tool_calls',
        },
      ],
    },
    { names: ['weather'], finishReason: 'tool-calls' },
  ],
  [
    'OpenAI Chat that was cut off inside a call',
    { choices: [{ message: { tool_calls: [openaiCall] }, finish_reason: 'length' }] },
    { names: ['weather'], finishReason: 'length' },
  ],
  [
    'a server that tells the text that stopped it',
    { choices: [{ message: { content: 'x' }, finish_reason: 'stop', stop_reason: 'ERROR' }] },
    { text: 'x', finishReason: 'stop' },
  ],
  [
    'a server that calls and says it stopped',
    { choices: [{ message: { content: 'x', tool_calls: [openaiCall] }, finish_reason: 'stop' }] },
    { names: ['weather'], text: 'x', finishReason: 'tool-calls' },
  ],
  [
    'a refusal',
    { choices: [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }] },
    { text: 'No.', finishReason: 'stop' },
  ],
  [
    'the first of several alternatives',
    {
      choices: [
        { index: 0, message: { content: 'a' } },
        { index: 1, message: { content: 'b', tool_calls: [openaiCall] } },
      ],
    },
    { text: 'a' },
  ],
  [
    'an answer split over choices of one index',
    {
      choices: [
        { index: 0, message: { content: 'a' } },
        { index: 0, message: { tool_calls: [openaiCall] } },
      ],
    },
    { text: 'a', names: ['weather'], finishReason: 'tool-calls' },
  ],
  ['no choices', { choices: [] }, {}],
  [
    'reasoning in details',
    {
      choices: [
        { message: { content: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] } },
      ],
    },
    { text: 'a', reasoning: 'Hm.' },
  ],
  [
    'OpenAI Responses',
    {
      status: 'completed',
      output: [
        {
          type: 'reasoning',
          summary: [
            { type: 'summary_text', text: 'One.' },
            { type: 'summary_text', text: 'Two.' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Wait.' }] },
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'weather', arguments: '{}' },
      ],
    },
    { names: ['weather'], text: 'Wait.', reasoning: 'One.\n\nTwo.', finishReason: 'tool-calls' },
  ],
  [
    'OpenAI Responses that ran out of tokens',
    { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] },
    { finishReason: 'length' },
  ],
  [
    'Anthropic',
    {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'text', text: 'One moment' },
        { type: 'text', text: ', please.' },
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
        { type: 'tool_use', id: 't1', name: 'weather', input: {} },
      ],
      stop_reason: 'tool_use',
    },
    {
      names: ['weather'],
      text: 'One moment, please.',
      reasoning: 'Hm.',
      finishReason: 'tool-calls',
    },
  ],
  [
    'Ollama',
    {
      message: {
        role: 'assistant',
        content: '',
        thinking: 'Hm.',
        tool_calls: [{ function: { name: 'weather', arguments: {} } }],
      },
      done: true,
      done_reason: 'stop',
    },
    { names: ['weather'], reasoning: 'Hm.', finishReason: 'tool-calls' },
  ],
  [
    'Gemini',
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Hm.', thought: true },
              { text: 'Wait.' },
              { functionCall: { name: 'weather', args: {} }, thoughtSignature: 's' },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    },
    { names: ['weather'], text: 'Wait.', reasoning: 'Hm.', finishReason: 'tool-calls' },
  ],
  [
    'Gemini refusing the prompt',
    { promptFeedback: { blockReason: 'SAFETY' } },
    { finishReason: 'content-filter' },
  ],
  ['Gemini without a candidate', { candidates: [] }, {}],
  [
    'Bedrock',
    {
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } },
            { text: 'Wait.' },
            { toolUse: { toolUseId: 't1', name: 'weather', input: {} } },
          ],
        },
      },
      stopReason: 'tool_use',
    },
    { names: ['weather'], text: 'Wait.', reasoning: 'Hm.', finishReason: 'tool-calls' },
  ],
  [
    'Cohere',
    {
      id: 'x',
      message: { role: 'assistant', tool_plan: 'I will look.', tool_calls: [openaiCall] },
      finish_reason: 'TOOL_CALL',
    },
    { names: ['weather'], reasoning: 'I will look.', finishReason: 'tool-calls' },
  ],
  [
    'Mistral thinking in parts',
    {
      choices: [
        {
          message: {
            role: 'assistant',
            content: [
              {
                type: 'thinking',
                thinking: [
                  { type: 'text', text: 'H' },
                  { type: 'text', text: 'm.' },
                ],
              },
              { type: 'text', text: 'Hello.' },
            ],
          },
          finish_reason: 'stop',
        },
      ],
    },
    { text: 'Hello.', reasoning: 'Hm.', finishReason: 'stop' },
  ],
]

test('an empty finish reason is none', () => {
  const reply = readNative({ choices: [{ message: { content: 'x' }, finish_reason: '' }] })
  expect(reply).not.toHaveProperty('stopReason')
})

describe('replies', () => {
  test.for(replies)('%s', ([, reply, expected]) => {
    const { names = [], text = '', reasoning = '', finishReason } = expected
    const found = readNative(reply)
    expect(found?.calls.map(({ name }) => name)).toEqual(names)
    expect(found).toMatchObject({ text, reasoning })
    expect(found?.finishReason).toBe(finishReason)
  })

  test.for([
    'Hello.',
    7,
    null,
    undefined,
    {},
    { error: { message: 'no' } },
    { name: 'Alice', arguments: {} },
  ])('%j is no reply', (reply) => {
    expect(readNative(reply)).toBeUndefined()
  })

  test('text is also given block by block', () => {
    const content = ['a', '', 'b'].map((text) => ({ type: 'text', text }))
    expect(readNative({ role: 'assistant', content })?.texts).toEqual(['a', 'b'])
  })

  test('no JSON makes it throw', () => {
    const key = fc.constantFrom(
      ...[
        'choices',
        'message',
        'content',
        'output',
        'candidates',
        'parts',
        'tool_calls',
        'function',
      ],
      ...['name', 'type', 'text', 'thinking', 'summary', 'functionCall', 'toolUse', 'metadata'],
    )
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom('tool_use', 'message', 'text', 'reasoning', null, 1),
        fc.dictionary(key, tie('tree')),
        fc.array(tie('tree')),
      ),
    }))
    fc.assert(fc.property(tree, (reply) => void readNative(reply)))
  })

  test('depth does not exhaust the stack', () => {
    let reply: unknown = { type: 'message', content: 'x' }
    for (let i = 0; i < 50_000; i++)
      reply = { type: 'reasoning', content: [reply], summary: [reply] }
    expect(() => readNative({ output: [reply] })).not.toThrow()
  })
})
