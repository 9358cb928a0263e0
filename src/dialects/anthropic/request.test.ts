import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../core/chat.ts'
import type { EncodeOptions } from '../../core/dialect.ts'
import type { Issue } from '../../core/issue.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Message, Tool } from '../../core/model.ts'
import { anthropic } from '../anthropic.ts'

const model = 'claude-sonnet-4-5'
const user: Message = { role: 'user', content: 'Hello' }
const tide: Tool = { name: 'tide', inputSchema: { type: 'object', properties: {} } }
const moon: Tool = { name: 'moon', inputSchema: { type: 'object', properties: {} } }

function encode(
  request: Partial<ChatRequest>,
  options: EncodeOptions = {},
): { readonly body: JsonObject; readonly issues: Issue[] } {
  const issues: Issue[] = []
  // Every request without a limit gets one; what is tested is said of the rest.
  const report = (issue: Issue): void => {
    if (issue.code !== 'added-field') issues.push(issue)
  }
  const whole = { model, messages: [user], ...request }
  return { body: anthropic.encodeRequest(whole, { ...options, report }), issues }
}

/** What a client sends comes out again as it was. */
function again(body: JsonObject): JsonObject {
  return anthropic.encodeRequest(anthropic.decodeRequest(body, { settings: 'keep' }))
}

describe('the limit of a reply', () => {
  test.for([
    ['claude-3-haiku-20240307', 4096],
    ['claude-3-5-sonnet-20241022', 8192],
    ['claude-opus-4-20250514', 16_384],
    ['claude-sonnet-5', 16_384],
    ['some-other-model', 8192],
  ] as const)('%s gets %i tokens when nobody says', ([name, limit]) => {
    expect(encode({ model: name }).body['max_tokens']).toBe(limit)
  })

  test('is reported when it was added', () => {
    const issues: Issue[] = []
    const report = (issue: Issue): void => void issues.push(issue)
    const request = { model: 'gpt-5', messages: [user] }
    anthropic.encodeRequest(request, { report })
    const message = 'anthropic requires `max_tokens`; 8192 was added'
    expect(issues).toEqual([{ code: 'added-field', message }])
    anthropic.encodeRequest({ ...request, maxTokens: 50 }, { report })
    anthropic.encodeRequest({ ...request, extra: { anthropic: { max_tokens: 50 } } }, { report })
    expect(issues).toHaveLength(1)
  })

  test('what is said counts, and thinking comes on top of what is not', () => {
    expect(encode({ maxTokens: 50 }).body['max_tokens']).toBe(50)
    const thinking = { type: 'enabled', budget_tokens: 20_000 }
    const { body } = encode({ extra: { anthropic: { thinking } } })
    expect(body).toMatchObject({ thinking, max_tokens: 36_384 })
  })
})

describe('the choice of tools', () => {
  const tools = [tide, moon]

  test.for<[Partial<ChatRequest>, JsonObject | undefined]>([
    [{ toolChoice: 'required' }, { type: 'any' }],
    [{ toolChoice: 'none', parallelToolCalls: false }, { type: 'none' }],
    [{ parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { toolChoice: { name: 'moon' }, parallelToolCalls: false },
      { type: 'tool', name: 'moon', disable_parallel_tool_use: true },
    ],
    [{ parallelToolCalls: true }, undefined],
  ])('%j', ([request, choice]) => {
    const { body } = encode({ ...request, tools })
    expect(body['tool_choice']).toEqual(choice)
    expect(again(body)).toEqual(body)
  })

  test('some of the tools are all that is offered, and that is reported', () => {
    const toolChoice = { names: ['moon'], required: true }
    const { body, issues } = encode({ tools, toolChoice })
    expect(body).toMatchObject({ tools: [{ name: 'moon' }], tool_choice: { type: 'any' } })
    expect(issues.map(({ code }) => code)).toEqual(['not-expressible'])
  })

  test('without tools there is none', () => {
    expect(encode({ toolChoice: 'required' }).body).not.toHaveProperty('tool_choice')
  })

  test('a service may lack choices, the switch and strictness', () => {
    const strict = { ...tide, strict: true }
    const request = { tools: [strict], toolChoice: 'required', parallelToolCalls: false } as const
    const quirks = { toolChoices: ['auto'], parallel: false, strict: false } as const
    const { body, issues } = encode(request, { quirks })
    expect(body).not.toHaveProperty('tool_choice')
    expect(body['tools']).toEqual([{ name: 'tide', input_schema: tide.inputSchema }])
    expect(issues).toHaveLength(2)
  })
})

describe('tools', () => {
  test('strict ones are lowered to what can be enforced', () => {
    const inputSchema = { type: 'object', properties: { at: { type: 'string', minLength: 1 } } }
    const { body, issues } = encode({ tools: [{ name: 'tide', inputSchema, strict: true }] })
    expect(body['tools']).toEqual([
      {
        name: 'tide',
        input_schema: {
          type: 'object',
          properties: { at: { type: 'string', description: '{minLength: 1}' } },
          additionalProperties: false,
        },
        strict: true,
      },
    ])
    expect(issues.map(({ message }) => message)).toEqual([
      'strict tools cannot enforce minLength (tide/properties/at)',
    ])
  })

  test('what only Anthropic knows of them survives, its own tools included', () => {
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 }
    const own = { name: 'tide', input_schema: { type: 'object' }, defer_loading: true }
    const remote = { type: 'mcp_toolset', mcp_server_name: 'harbour' }
    const body = { model, max_tokens: 9, messages: [], tools: [own, search, remote] }
    const request = anthropic.decodeRequest(body)
    expect(request.tools).toBeUndefined()
    expect(again(body)).toEqual(body)
  })
})

describe('system messages', () => {
  const later: Message[] = [
    user,
    { role: 'system', content: 'Be brief.' },
    { role: 'assistant', content: 'Hi.' },
  ]

  test('stand between others where the model takes them', () => {
    const { body, issues } = encode({ model: 'claude-opus-4-8', messages: later })
    expect(body['messages']).toMatchObject([{ role: 'user' }, { role: 'system' }, {}])
    expect(issues).toEqual([])
    expect(anthropic.decodeRequest(body).messages).toEqual(later)
  })

  test('are text of the user where it does not', () => {
    const { body, issues } = encode({ messages: later })
    expect(body['messages']).toMatchObject([
      { role: 'user', content: 'Hello' },
      { role: 'user', content: '<system>Be brief.</system>' },
      { role: 'assistant' },
    ])
    expect(issues).toHaveLength(1)
  })

  test('on top are the system prompt, with the marks they came with', () => {
    const system = [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]
    const body = { model, max_tokens: 9, system, messages: [{ role: 'user', content: 'Hi' }] }
    expect(anthropic.decodeRequest(body).cache).toBe(true)
    expect(again(body)).toEqual(body)
  })
})

describe('what an assistant said', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'ZGF0YQ' },
    { type: 'text', text: 'First.' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    { type: 'text', text: 'Then.' },
    { type: 'tool_use', id: 'toolu_1', name: 'tide', input: { at: 'Brest' } },
  ]
  const body = {
    model,
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content },
    ],
  }
  const [, message = user] = anthropic.decodeRequest(body).messages

  test('is words, reasoning and calls, without the tools that ran elsewhere', () => {
    expect(message).toMatchObject({ content: 'First.\nThen.', reasoning: 'Hm.' })
    expect(message.toolCalls?.map(({ id }) => id)).toEqual(['toolu_1'])
  })

  test('goes back block by block', () => {
    expect(again(body)).toEqual(body)
  })

  test('goes back with other ids when the calls were given others', () => {
    const toolCalls = message.toolCalls?.map((call) => ({ ...call, id: 'toolu_other' }))
    const { body: other } = encode({ messages: [user, { ...message, toolCalls: toolCalls ?? [] }] })
    const blocks = [...content.slice(0, -1), { ...content.at(-1), id: 'toolu_other' }]
    expect(other['messages']).toMatchObject([{}, { content: blocks }])
  })

  test('keeps what it was thinking when its words were changed', () => {
    const { body: other } = encode({ messages: [user, { ...message, content: 'Now.' }] })
    const call = content.at(-1) ?? {}
    const blocks = [...content.slice(0, 2), { type: 'text', text: 'Now.' }, call]
    expect(other['messages']).toMatchObject([{}, { content: blocks }])
  })

  test('loses reasoning that nobody signed, which is reported', () => {
    const foreign: Message = { role: 'assistant', content: 'Hi.', reasoning: 'Hm.' }
    const { body: other, issues } = encode({ messages: [user, foreign, user] })
    expect(other['messages']).toMatchObject([{}, { content: [{ type: 'text', text: 'Hi.' }] }, {}])
    expect(issues.map(({ code }) => code)).toEqual(['lost-field'])
  })

  test('has no blank blocks, and does not end in white space', () => {
    const blank = { type: 'text', text: '\n' }
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'Go' },
        ],
      },
      { role: 'assistant', content: [blank, { type: 'text', text: 'Sure: ' }] },
    ]
    expect(again({ ...body, messages })['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Sure:' }] },
    ])
  })
})

describe('results', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'aGk=' }

  test('stand with what the user says next, and come apart again', () => {
    const tool: Message = {
      role: 'tool',
      content: '',
      toolResults: [
        { callId: 'a', content: '1' },
        { callId: 'b', content: '2' },
      ],
    }
    const { body } = encode({ messages: [user, tool, { role: 'user', content: 'And?' }] })
    expect(body['messages']).toMatchObject([
      {},
      { role: 'user', content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }, { text: 'And?' }] },
    ])
    const [, ...rest] = anthropic.decodeRequest(body).messages
    expect(rest).toEqual([tool, { role: 'user', content: 'And?' }])
  })

  test('of one turn belong together even when they came in two messages', () => {
    const result = (id: string): JsonObject => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: id }] }],
    })
    const messages = [result('a'), result('b')]
    expect(anthropic.decodeRequest({ messages }).messages).toEqual([
      {
        role: 'tool',
        content: '',
        toolResults: [
          { callId: 'a', content: 'a' },
          { callId: 'b', content: 'b' },
        ],
      },
    ])
  })

  test('carry images, failures and what only Anthropic knows', () => {
    const block = {
      type: 'tool_result',
      tool_use_id: 'a',
      is_error: true,
      content: [
        { type: 'text', text: '[ERROR:EIO]' },
        { type: 'image', source },
        { type: 'search_result', source: 's', title: 't', content: [] },
      ],
      cache_control: { type: 'ephemeral' },
    }
    const body = { model, max_tokens: 9, messages: [{ role: 'user', content: [block] }] }
    expect(anthropic.decodeRequest(body).messages[0]?.toolResults).toEqual([
      {
        callId: 'a',
        content: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }],
        isError: true,
        errorCode: 'EIO',
      },
    ])
    expect(again(body)).toEqual(body)
  })

  test('that begin like a failure are none without the flag', () => {
    const content = [{ type: 'tool_result', tool_use_id: 'a', content: '[ERROR] is what it said' }]
    const { messages } = anthropic.decodeRequest({ messages: [{ role: 'user', content }] })
    expect(messages[0]?.toolResults).toEqual([{ callId: 'a', content: '[ERROR] is what it said' }])
  })
})

test('documents: PDF as data, text as text', () => {
  const content = [
    { type: 'file', mediaType: 'application/pdf', data: 'JVBERg==', name: 'a.pdf' },
    { type: 'file', mediaType: 'text/plain', data: 'w7ggw6k=' },
  ] as const
  const { body } = encode({ messages: [{ role: 'user', content }] })
  expect(body['messages']).toMatchObject([
    {
      content: [
        { title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf' } },
        { source: { type: 'text', media_type: 'text/plain', data: 'ø é' } },
      ],
    },
  ])
})

describe('the cache', () => {
  const marker = { cache_control: { type: 'ephemeral' } }

  test('is asked for behind tools, system and the last two messages', () => {
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.' },
      user,
      { role: 'assistant', content: 'Hi.' },
      user,
    ]
    const { body } = encode({ messages, tools: [tide, moon], cache: true })
    expect(body).toMatchObject({
      tools: [{ name: 'tide' }, { name: 'moon', ...marker }],
      system: [{ text: 'Be brief.', ...marker }],
      messages: [{ content: 'Hello' }, { content: [marker] }, { content: [marker] }],
    })
    expect(again(body)).toEqual(body)
  })

  test('is left to the sender who marks himself, within four', () => {
    const block = (text: string): JsonObject => ({ type: 'text', text, ...marker })
    const content = ['a', 'b', 'c', 'd', 'e'].map(block)
    const body = { model, max_tokens: 9, messages: [{ role: 'user', content }] }
    const [first, ...rest] = content
    expect(again(body)['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: first?.['text'] }, ...rest] },
    ])
  })
})

describe('settings', () => {
  test('that newer models refuse are left out', () => {
    const { body, issues } = encode({ model: 'claude-opus-4-7', temperature: 0.2, topP: 0.5 })
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_p')
    expect(issues).toHaveLength(1)
    expect(encode({ temperature: 0.2 }).body['temperature']).toBe(0.2)
  })

  test('a schema for the reply stands beside the effort', () => {
    const output_config = {
      effort: 'low',
      format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
    }
    const body = {
      model,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
      output_config,
    }
    expect(anthropic.decodeRequest(body).responseFormat?.type).toBe('json-schema')
    expect(again(body)).toEqual(body)
    expect(encode({ responseFormat: { type: 'json' } }).issues).toHaveLength(1)
  })

  test('unknown fields survive', () => {
    const own = { metadata: { user_id: 'u' }, thinking: { type: 'adaptive' }, container: 'c' }
    const body = { model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...own }
    expect(again(body)).toEqual(body)
  })
})

test.for([null, 7, 'text', {}, { messages: 'Hi' }])('%j is no request', (body) => {
  expect(() => anthropic.decodeRequest(body)).toThrow(TypeError)
})
