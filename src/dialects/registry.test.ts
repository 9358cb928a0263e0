import { describe, expect, test } from 'vitest'
import { InvalidInputError } from '../core/errors.ts'
import { extract } from '../extract.ts'
import { allProviders } from '../providers/registry.ts'
import { findSpokenDialect, spokenDialect } from '../providers/spoken-dialect.ts'
import {
  decodeResponse,
  formatAssistantMessage,
  formatToolChoice,
  formatToolResult,
  formatToolResults,
  formatTools,
  heal,
  parseToolCalls,
  transcode,
} from '../wire.ts'
import { findDialect, getDialect } from './registry.ts'

const DIALECTS = ['openai-chat', 'anthropic', 'ollama'] as const
const OPENAI_FORM = ['openai', 'openrouter', 'openai-compatible', 'ollama'] as const

const parameters = {
  type: 'object',
  properties: { location: { type: 'string' } },
  required: ['location'],
}
const name = 'forecast'
const description = 'What the weather will be'
const standardTool = { type: 'function', function: { name, description, parameters } }

const openaiCall = (args: unknown, id: string | null = 'call_1'): object => ({
  ...(id !== null && { id }),
  type: 'function',
  function: { name, arguments: args },
})
const chat = (message: object, finish_reason = 'tool_calls'): object => ({
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
})
const oslo = '{"location":  "Oslo"}'

describe('names of providers', () => {
  const named = allProviders.flatMap(({ id, name, aliases = [], dialect }) =>
    [id, name, ...aliases, id.toUpperCase().replaceAll('-', '_')].map((written) => ({
      written,
      dialect: typeof dialect === 'string' ? dialect : dialect.id,
    })),
  )

  test.for(named.filter(({ dialect }) => dialect !== 'stackspot'))(
    '$written means the dialect $dialect',
    ({ written, dialect }) => {
      expect(spokenDialect(written).id).toBe(dialect)
      const result = { id: 'c', name: 'read', content: 'body', isError: true, errorCode: 'ENOENT' }
      expect(formatToolResult(result, written)).toEqual(formatToolResult(result, dialect))
      expect(formatTools([standardTool], written)).toEqual(formatTools([standardTool], dialect))
    },
  )

  test('a service that has no wire format for tools is refused with the way out', () => {
    expect(() => formatTools([standardTool], 'stackspot')).toThrow(
      /StackSpot AI.*augmentSystemPrompt/,
    )
  })

  test('a reply of Copilot in two choices is read as one', () => {
    const reply = {
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Looking.' } },
        { index: 1, message: { role: 'assistant', tool_calls: [openaiCall('{}')] } },
      ],
    }
    expect(parseToolCalls(reply, 'copilot')).toMatchObject([{ id: 'call_1', name: 'forecast' }])
    expect(formatAssistantMessage(reply, 'copilot')).toMatchObject({ content: 'Looking.' })
  })
})

describe('a result that is passed in parts', () => {
  test('is refused with the shape that is wanted', () => {
    // @ts-expect-error: the functions of other systems take three texts
    expect(() => formatToolResult('call_1', 'forecast', 'Sunny', 'openai')).toThrow(
      "formatToolResult takes the result as an object, not string: formatToolResult({ id, name, content }, 'openai')",
    )
  })
})

describe('names of dialects', () => {
  test.for([
    ['openai-chat', 'openai-chat'],
    ['openai', 'openai-chat'],
    ['openrouter', 'openai-chat'],
    ['openai-compatible', 'openai-chat'],
    ['anthropic', 'anthropic'],
    ['ollama', 'ollama'],
  ] as const)('%s is %s', ([alias, id]) => {
    expect(findSpokenDialect(alias)?.id).toBe(id)
  })

  test('a dialect of the caller is used as it is', () => {
    const own = { ...getDialect('ollama'), id: 'mine' }
    expect(getDialect(own)).toBe(own)
  })

  test('an unknown name throws and says which are known', () => {
    expect(findDialect('telegraph')).toBeUndefined()
    expect(() => getDialect('telegraph')).toThrow(TypeError)
    expect(() => getDialect('telegraph')).toThrow(/"telegraph"; known are: anthropic.*openai-chat/)
  })

  test.for([
    ['antropic', 'anthropic'],
    ['openai-caht', 'openai-chat'],
    ['open_ruoter', 'openrouter'],
    ['grokk', 'xai'],
    ['moonshoot', 'moonshot'],
  ] as const)('%s is no name, and %s was probably meant', ([written, meant]) => {
    const message = `unknown dialect "${written}" (did you mean ${meant}?)`
    expect(() => formatTools([], written)).toThrow(message)
    expect(() => transcode([], { to: written })).toThrow(message)
    expect(() => heal([], written)).toThrow(message)
  })
})

describe('tools', () => {
  test.for(OPENAI_FORM)('%s gets the standard form unchanged', (dialect) => {
    const custom = { type: 'custom', custom: { name: 'sql' } }
    const [first, second] = formatTools([standardTool, custom], dialect)
    expect(first).toBe(standardTool)
    expect(second).toBe(custom)
  })

  test.for([
    ['ours', { name, description, inputSchema: parameters }],
    ["Anthropic's", { name, description, input_schema: parameters }],
    ["MCP's", { name, description, inputSchema: parameters, annotations: { readOnlyHint: true } }],
    ['flat', { type: 'function', name, description, parameters }],
    ['capitalised', { Name: name, Description: description, Parameters: parameters }],
    ["Gemini's", { functionDeclarations: [{ name, description, parameters }] }],
    ["Bedrock's", { toolSpec: { name, description, inputSchema: { json: parameters } } }],
  ] as const)('the %s spelling becomes the one of each dialect', ([, tool]) => {
    expect(formatTools([tool], 'openai')).toEqual([standardTool])
    expect(formatTools([tool], 'ollama')).toEqual([standardTool])
    expect(formatTools([tool], 'anthropic')).toEqual([
      { name, description, input_schema: parameters },
    ])
  })

  test('Anthropic gets name, description and input_schema', () => {
    expect(formatTools([standardTool], 'anthropic')).toEqual([
      { name, description, input_schema: parameters },
    ])
  })

  test('Anthropic keeps what is in its form already, tools it runs itself included', () => {
    const own = { name, input_schema: parameters, eager_input_streaming: true }
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 }
    expect(formatTools([own, search], 'anthropic')).toEqual([own, search])
  })

  test('a tool without parameters gets an empty object', () => {
    const bare = { type: 'function', function: { name: 'now' } }
    const empty = { type: 'object', properties: {} }
    expect(formatTools([bare], 'openai')).toEqual([
      { type: 'function', function: { name: 'now', parameters: empty } },
    ])
    expect(formatTools([bare], 'anthropic')).toEqual([{ name: 'now', input_schema: empty }])
  })

  test('strictness is passed on, the order is kept', () => {
    const tools = [
      { name: 'b', inputSchema: { type: 'object' }, strict: true },
      { name: 'a', inputSchema: true },
    ]
    expect(formatTools(tools, 'openai')).toEqual([
      { type: 'function', function: { name: 'b', parameters: { type: 'object' }, strict: true } },
      { type: 'function', function: { name: 'a', parameters: { type: 'object' } } },
    ])
    expect(formatTools(tools, 'anthropic')).toEqual([
      { name: 'b', input_schema: { type: 'object' }, strict: true },
      { name: 'a', input_schema: { type: 'object' } },
    ])
  })

  test('cache marks the last tool for Anthropic and nothing for the others', () => {
    const tools = [standardTool, { name: 'now', inputSchema: { type: 'object' } }]
    const marks = (dialect: string): unknown[] =>
      formatTools(tools, dialect, { cache: true }).map((tool) => tool['cache_control'])
    expect(marks('anthropic')).toEqual([undefined, { type: 'ephemeral' }])
    expect(marks('openai')).toEqual([undefined, undefined])
    expect(formatTools([], 'anthropic', { cache: true })).toEqual([])
  })

  describe('compact', () => {
    const long = 'é'.repeat(200)
    const tool = {
      name,
      description: long,
      inputSchema: {
        type: 'object',
        description: long,
        properties: {
          description: { type: 'string', description: long, enum: [long] },
          list: {
            type: 'array',
            items: { anyOf: [{ description: long }] },
            default: { description: long },
          },
        },
        required: ['description'],
      },
    }
    const short = `${'é'.repeat(60)}…`
    const schema = {
      type: 'object',
      description: short,
      properties: {
        description: { type: 'string', description: short, enum: [long] },
        list: {
          type: 'array',
          items: { anyOf: [{ description: short }] },
          default: { description: long },
        },
      },
      required: ['description'],
    }

    test('shortens descriptions and nothing else', () => {
      const shortened = `${'é'.repeat(140)}…`
      expect(formatTools([tool], 'openai', { compact: true })).toEqual([
        { type: 'function', function: { name, description: shortened, parameters: schema } },
      ])
      expect(formatTools([tool], 'anthropic', { compact: true })).toEqual([
        { name, description: shortened, input_schema: schema },
      ])
    })

    test('leaves short ones and built-in tools alone', () => {
      const custom = { type: 'custom', custom: { name: 'sql' } }
      expect(formatTools([standardTool, custom], 'openai', { compact: true })).toEqual([
        standardTool,
        custom,
      ])
    })
  })

  test('the choice of tools is said in the words of the dialect', () => {
    expect(formatToolChoice('auto', 'openai')).toEqual({ tool_choice: 'auto' })
    expect(formatToolChoice('required', 'openai')).toEqual({ tool_choice: 'required' })
    expect(formatToolChoice({ name }, 'openai')).toEqual({
      tool_choice: { type: 'function', function: { name } },
    })
    expect(formatToolChoice('required', 'anthropic')).toEqual({ tool_choice: { type: 'any' } })
    expect(formatToolChoice('none', 'anthropic')).toEqual({ tool_choice: { type: 'none' } })
    expect(formatToolChoice({ name }, 'anthropic')).toEqual({ tool_choice: { type: 'tool', name } })
    expect(formatToolChoice('required', 'ollama')).toEqual({})
  })
})

describe('calls', () => {
  test("OpenAI's text is kept byte for byte", () => {
    const response = chat({ tool_calls: [openaiCall(oslo)] })
    expect(parseToolCalls(response, 'openai')).toEqual([{ id: 'call_1', name, arguments: oslo }])
  })

  test('broken text is kept as well', () => {
    const response = chat({ tool_calls: [openaiCall('{"loc')] })
    expect(parseToolCalls(response, 'openai')[0]?.arguments).toBe('{"loc')
  })

  test('an object where a text was promised becomes one', () => {
    const response = chat({ tool_calls: [openaiCall({ location: 'Oslo' })] })
    expect(parseToolCalls(response, 'openai')[0]?.arguments).toBe('{"location":"Oslo"}')
  })

  test("Anthropic's input becomes compact JSON", () => {
    const content = [
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_1', name, input: { location: 'Oslo' } },
      { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
    ]
    expect(parseToolCalls({ content }, 'anthropic')).toEqual([
      { id: 'toolu_1', name, arguments: '{"location":"Oslo"}' },
      { id: 'toolu_2', name: 'now', arguments: '{}' },
    ])
  })

  test("Ollama's calls get ids, each its own", () => {
    const tool_calls = [1, 2].map((a) => ({ function: { name: 'add', arguments: { a } } }))
    const calls = parseToolCalls({ message: { role: 'assistant', tool_calls } }, 'ollama')
    expect(calls).toMatchObject([
      { name: 'add', arguments: '{"a":1}' },
      { name: 'add', arguments: '{"a":2}' },
    ])
    for (const { id } of calls) expect(id).toMatch(/^call_[A-Za-z0-9_-]{12}$/)
    expect(calls[0]?.id).not.toBe(calls[1]?.id)
  })

  test.for(['', '  ', null, undefined, 'null'])('%j stands for no arguments', (args) => {
    const response = chat({ tool_calls: [openaiCall(args)] })
    expect(parseToolCalls(response, 'openai')[0]?.arguments).toBe('{}')
  })

  test.for(DIALECTS)('%s finds no calls where there are none', (dialect) => {
    const replies = [
      { choices: [{ message: { content: 'hi' } }] },
      { choices: [] },
      { content: [{ type: 'text', text: 'x' }] },
      { message: { content: 'x' } },
      'hi',
      null,
    ]
    for (const reply of replies) expect(parseToolCalls(reply, dialect)).toEqual([])
  })

  test.for(DIALECTS)('%s reads the shape that came, not the one it expected', (dialect) => {
    const replies = [
      chat({ tool_calls: [openaiCall('{}')] }),
      { content: [{ type: 'tool_use', id: 'call_1', name, input: {} }] },
      { message: { tool_calls: [{ id: 'call_1', function: { name, arguments: {} } }] } },
    ]
    for (const reply of replies) {
      expect(parseToolCalls(reply, dialect)).toEqual([{ id: 'call_1', name, arguments: '{}' }])
    }
  })

  test('calls that name no tool cannot be made and are left out', () => {
    const response = chat({ tool_calls: [{ id: 'x', function: { arguments: '{}' } }, 7] })
    expect(parseToolCalls(response, 'openai')).toEqual([])
  })

  test('ids can be chosen and do not repeat those of earlier turns', () => {
    const tool_calls = [openaiCall('{}', 'call_1'), openaiCall('{}', null)]
    const options = { ids: 'sequential', usedIds: ['call_1'] } as const
    const calls = parseToolCalls(chat({ tool_calls }), 'openai', options)
    expect(calls.map(({ id }) => id)).toEqual(['forecast_0', 'forecast_1'])
  })
})

describe('results', () => {
  const result = { id: 'call_1', name, content: '4 °C "cold"' }

  test('each dialect says which call it answers in its own way', () => {
    const { content } = result
    expect(formatToolResult(result, 'openai')).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content,
    })
    expect(formatToolResult(result, 'anthropic')).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_1', content }],
    })
    expect(formatToolResult(result, 'ollama')).toEqual({ role: 'tool', tool_name: name, content })
  })

  test.for([
    ['success', {}, 'text'],
    ['an error with a code', { isError: true, errorCode: 'ENOENT' }, '[ERROR:ENOENT] text'],
    ['an error without a code', { isError: true }, '[ERROR] text'],
    ['a code without an error', { isError: false, errorCode: 'ENOENT' }, 'text'],
    ['the field names of the wire', { is_error: true, error_code: 'EIO' }, '[ERROR:EIO] text'],
  ] as const)('%s, in the text', ([, fields, content]) => {
    const failed = { ...result, content: 'text', ...fields }
    expect(formatToolResult(failed, 'openai')['content']).toBe(content)
    expect(formatToolResult(failed, 'ollama')['content']).toBe(content)
  })

  test('an error without text keeps its mark', () => {
    const failed = { ...result, content: '', isError: true, errorCode: 'Timeout' }
    expect(formatToolResult(failed, 'openai')['content']).toBe('[ERROR:Timeout] ')
  })

  test.for([
    ['success', {}, { content: 'text' }],
    [
      'an error with a code',
      { isError: true, errorCode: 'ENOENT' },
      { is_error: true, content: '[ERROR:ENOENT] text' },
    ],
    ['an error without a code', { isError: true }, { is_error: true, content: 'text' }],
    ['a code without an error', { errorCode: 'ENOENT' }, { content: 'text' }],
  ] as const)('%s, as Anthropic marks it', ([, fields, block]) => {
    const input = { tool_use_id: 'toolu_1', content: 'text', ...fields }
    expect(formatToolResult(input, 'anthropic')).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', ...block }],
    })
  })

  test('the results of a turn are one message for Anthropic and one each for the others', () => {
    const results = [result, { ...result, id: 'call_2' }]
    expect(formatToolResults(results, 'openai')).toHaveLength(2)
    expect(formatToolResults(results, 'ollama')).toHaveLength(2)
    expect(formatToolResults(results, 'anthropic')).toMatchObject([
      { role: 'user', content: [{ tool_use_id: 'call_1' }, { tool_use_id: 'call_2' }] },
    ])
  })

  test.for(DIALECTS)('no results are no messages for %s', (dialect) => {
    expect(formatToolResults([], dialect)).toEqual([])
  })

  test('data is sent as JSON, nothing as an empty text', () => {
    const content = (value: unknown): unknown =>
      formatToolResult({ ...result, content: value }, 'openai')['content']
    expect(content({ degrees: 4 })).toBe('{"degrees":4}')
    expect(content([1, 2])).toBe('[1,2]')
    expect(content(undefined)).toBe('')
  })

  test('images go where the dialect has a place for them and are mentioned where not', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' }
    const page = { type: 'file', url: 'https://example.com/a.pdf' }
    const input = {
      ...result,
      content: [{ type: 'text', text: 'Look:' }, image, page],
      isError: true,
      errorCode: 'X',
    }
    expect(formatToolResult(input, 'openai')['content']).toBe(
      '[ERROR:X] Look:\n[image left out]\n[file left out]',
    )
    expect(formatToolResult(input, 'ollama')).toEqual({
      role: 'tool',
      tool_name: name,
      content: '[ERROR:X] Look:\n[file left out]',
      images: ['aGk='],
    })
    expect(formatToolResult(input, 'anthropic')).toMatchObject({
      content: [
        {
          is_error: true,
          content: [
            { type: 'text', text: '[ERROR:X]' },
            { type: 'text', text: 'Look:' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
            { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
          ],
        },
      ],
    })
  })

  test('Ollama falls back on the id when there is no name', () => {
    expect(formatToolResult({ id: 'call_1', content: 'x' }, 'ollama')).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'x',
    })
  })
})

describe('the assistant message', () => {
  const anthropicReply = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'Let me ' },
      { type: 'text', text: 'look.' },
      { type: 'text', text: '' },
      { type: 'tool_use', id: 'toolu_1', name, input: { location: 'Oslo' } },
    ],
  }
  const asText = { name, arguments: '{"location":"Oslo"}' }

  test('of OpenAI comes back as it was', () => {
    const message = { role: 'assistant', content: null, tool_calls: [openaiCall(oslo)] }
    expect(formatAssistantMessage(chat(message), 'openai')).toEqual(message)
  })

  test('of Anthropic is in the common shape', () => {
    expect(formatAssistantMessage(anthropicReply, 'anthropic')).toEqual({
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [{ id: 'toolu_1', type: 'function', function: asText }],
    })
  })

  test('of Anthropic goes back block by block in its native shape', () => {
    const { content } = anthropicReply
    expect(formatAssistantMessage(anthropicReply, 'anthropic', { shape: 'native' })).toEqual({
      role: 'assistant',
      content: content.filter(({ text }) => text !== ''),
    })
  })

  test('can go to Anthropic from elsewhere', () => {
    const reply = chat({
      content: 'Wait.',
      tool_calls: [openaiCall(oslo), openaiCall('oops', 'c2')],
    })
    expect(formatAssistantMessage(reply, 'anthropic', { shape: 'native' })).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: 'Wait.' },
        { type: 'tool_use', id: 'call_1', name, input: { location: 'Oslo' } },
        { type: 'tool_use', id: 'c2', name, input: { raw: 'oops' } },
      ],
    })
  })

  const ollamaReply = {
    message: {
      role: 'assistant',
      content: '',
      thinking: 'Hm.',
      tool_calls: [{ function: { name, arguments: { location: 'Oslo' } } }],
    },
  }

  test('of Ollama has the ids that the calls have', () => {
    const [call] = parseToolCalls(ollamaReply, 'ollama')
    expect(formatAssistantMessage(ollamaReply, 'ollama')).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: call?.id, type: 'function', function: asText }],
    })
  })

  test('of Ollama has object arguments and no made-up ids in its native shape', () => {
    expect(formatAssistantMessage(ollamaReply, 'ollama', { shape: 'native' })).toEqual(
      ollamaReply.message,
    )
  })

  test('of Ollama keeps an id the server gave', () => {
    const reply = { message: { tool_calls: [{ id: 'c1', function: { name, arguments: {} } }] } }
    const message = formatAssistantMessage(reply, 'ollama', { shape: 'native' })
    expect(message['tool_calls']).toEqual([{ id: 'c1', function: { name, arguments: {} } }])
  })

  test('has the same new ids as the calls when the provider repeated one', () => {
    const reply = chat({ tool_calls: [openaiCall('{}', 'x'), openaiCall('{}', 'x')] })
    const ids = parseToolCalls(reply, 'openai').map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    expect(formatAssistantMessage(reply, 'openai')['tool_calls']).toMatchObject(
      ids.map((id) => ({ id })),
    )
  })

  test.for<[what: string, args: unknown, text: string]>([
    ['an object', { path: 'x' }, '{"path":"x"}'],
    ['nothing', null, '{}'],
    ['text', '{"path": "x"}', '{"path": "x"}'],
  ])('can be made from calls with %s for arguments', ([, args, text]) => {
    const calls = [{ id: 'call_1', name: 'read', arguments: args }]
    expect(formatAssistantMessage(calls, 'openai')['tool_calls']).toEqual([
      { id: 'call_1', type: 'function', function: { name: 'read', arguments: text } },
    ])
  })

  test("can be made from a message of ours, with the model's text when it was JSON", () => {
    const call = { id: 'c', name: 'read', arguments: { a: 1 }, origin: 'text' }
    const toolCalls = [
      { ...call, rawArguments: '{"a": "1"}' },
      { ...call, id: 'd', rawArguments: '{a: 1}' },
    ]
    const message = formatAssistantMessage({ role: 'assistant', content: '', toolCalls }, 'openai')
    expect(message['tool_calls']).toMatchObject([
      { function: { arguments: '{"a": "1"}' } },
      { function: { arguments: '{"a":1}' } },
    ])
  })

  test('without calls has no field for them and always text', () => {
    const reply = { choices: [{ message: { content: null } }] }
    expect(formatAssistantMessage(reply, 'openai')).toEqual({ role: 'assistant', content: '' })
    expect(formatAssistantMessage('Hello.', 'openai')).toEqual({
      role: 'assistant',
      content: 'Hello.',
    })
  })

  test('returns what a provider hid in a call, in its native shape only', () => {
    const extra = { extra_content: { google: { thought_signature: 's' } } }
    const reply = chat({ tool_calls: [{ ...openaiCall('{}'), ...extra }] })
    expect(formatAssistantMessage(reply, 'openai', { shape: 'native' })).toMatchObject({
      tool_calls: [extra],
    })
    expect(formatAssistantMessage(reply, 'openai')['tool_calls']).toEqual([openaiCall('{}')])
  })

  test('joins blocks of text as it is told', () => {
    const message = formatAssistantMessage(anthropicReply, 'anthropic', { textJoiner: '|' })
    expect(message['content']).toBe('Let me |look.')
  })
})

describe('whole responses', () => {
  test('of OpenAI', () => {
    const usage = {
      prompt_tokens: 200,
      completion_tokens: 80,
      total_tokens: 280,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 16 },
    }
    const body = {
      id: 'chatcmpl-1',
      model: 'gpt',
      ...chat({ content: 'Done!', reasoning_content: 'Hm.', tool_calls: [openaiCall(oslo)] }),
      usage,
    }
    expect(decodeResponse(body, 'openai')).toEqual({
      id: 'chatcmpl-1',
      model: 'gpt',
      message: {
        role: 'assistant',
        content: 'Done!',
        reasoning: 'Hm.',
        toolCalls: [
          {
            id: 'call_1',
            name,
            arguments: { location: 'Oslo' },
            rawArguments: oslo,
            origin: 'native',
          },
        ],
      },
      finishReason: 'tool-calls',
      stopReason: 'tool_calls',
      usage: {
        inputTokens: 200,
        outputTokens: 80,
        totalTokens: 280,
        cacheReadTokens: 64,
        reasoningTokens: 16,
      },
      issues: [],
    })
  })

  test('of Anthropic, text block by text block and the cache counted in', () => {
    const body = {
      id: 'msg_1',
      model: 'claude',
      role: 'assistant',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
        { type: 'tool_use', id: 'toolu_1', name, input: {} },
      ],
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 1000,
      },
    }
    expect(decodeResponse(body, 'anthropic')).toMatchObject({
      id: 'msg_1',
      message: { content: 'a\nb', toolCalls: [{ id: 'toolu_1', name, arguments: {} }] },
      finishReason: 'tool-calls',
      stopReason: 'tool_use',
      usage: {
        inputTokens: 1110,
        outputTokens: 5,
        totalTokens: 1115,
        cacheReadTokens: 100,
        cacheWriteTokens: 1000,
      },
    })
    const joined = decodeResponse(body, 'anthropic', { textJoiner: '' })
    expect(joined.message.content).toBe('ab')
  })

  test('of Ollama', () => {
    const body = {
      model: 'llama',
      message: { role: 'assistant', content: 'Hi.' },
      done_reason: 'stop',
      eval_count: 3,
    }
    expect(decodeResponse(body, 'ollama')).toEqual({
      model: 'llama',
      message: { role: 'assistant', content: 'Hi.' },
      finishReason: 'stop',
      stopReason: 'stop',
      usage: { inputTokens: 0, outputTokens: 3, totalTokens: 3 },
      issues: [],
    })
  })

  test('malformed arguments are an issue, or handed on raw', () => {
    const body = chat({ tool_calls: [openaiCall('not-json-at-all')] })
    expect(decodeResponse(body, 'openai')).toMatchObject({ issues: [{ code: 'invalid-json' }] })
    const { message } = decodeResponse(body, 'openai', { onMalformed: 'raw' })
    expect(message.toolCalls).toMatchObject([{ arguments: { raw: 'not-json-at-all' } }])
  })

  test('may come as text', () => {
    const body = JSON.stringify(chat({ content: 'Hi.' }, 'stop'))
    expect(decodeResponse(body, 'openai').message.content).toBe('Hi.')
  })

  test.for<[dialect: string, body: unknown]>([
    ['openai', 'not json'],
    ['openai', '{"choices": []}'],
    ['openai', { error: { message: 'no' } }],
    ['openai', null],
    ['anthropic', { type: 'error', error: { message: 'no' } }],
    ['ollama', { error: 'no' }],
  ])('%s: %j is none', ([dialect, body]) => {
    const decoded = decodeResponse(body, dialect)
    expect(decoded).toMatchObject({ finishReason: 'error', error: { code: 'invalid-response' } })
  })
})

describe('what callers without types pass by mistake', () => {
  // Types would refuse all of it.
  const loose = {
    formatTools: formatTools as (...args: readonly unknown[]) => unknown,
    formatToolResult: formatToolResult as (...args: readonly unknown[]) => unknown,
    formatToolResults: formatToolResults as (...args: readonly unknown[]) => unknown,
    getDialect: getDialect as (...args: readonly unknown[]) => unknown,
    heal: heal as (...args: readonly unknown[]) => unknown,
    transcode: transcode as (...args: readonly unknown[]) => unknown,
  }

  test.for([
    ['formatTools', new Set(['a']), 'openai'],
    ['formatTools', null, 'openai'],
    ['formatToolResult', null, 'openai'],
    ['formatToolResults', undefined, 'openai'],
    ['formatToolResults', [null], 'openai'],
    ['getDialect', {}],
    ['getDialect', []],
    ['getDialect', undefined],
    ['heal', null, 'openai'],
    ['transcode', { messages: [] }],
    ['transcode', { messages: [] }, { to: {} }],
  ] as const)('%s(%j, %j) is refused', ([name, ...args]) => {
    expect(() => loose[name](...args)).toThrow(InvalidInputError)
  })

  test('tools may be a record by name', () => {
    const record = { [name]: { description, inputSchema: parameters } }
    expect(formatTools(record, 'openai')).toEqual(
      formatTools([{ name, description, inputSchema: parameters }], 'openai'),
    )
  })
})

describe('ids that are made up', () => {
  const toolCalls = [
    { function: { name: 'read', arguments: {} } },
    { function: { name: 'read', arguments: {} } },
  ]
  const reply = () => ({
    message: { role: 'assistant', content: '', tool_calls: structuredClone(toolCalls) },
    done: true,
  })
  const parsed = (response: object) => parseToolCalls(response, 'ollama').map(({ id }) => id)
  const decoded = (response: object) =>
    decodeResponse(response, 'ollama').message.toolCalls?.map(({ id }) => id)
  const written = (response: object) => {
    const { tool_calls: calls } = formatAssistantMessage(response, 'ollama')
    return Array.isArray(calls) ? calls.map((call) => Object(call).id) : []
  }
  const extracted = (response: object) => extract(response).calls.map(({ id }) => id)

  test.for([
    ['parseToolCalls', parsed, [decoded, written]],
    ['decodeResponse', decoded, [parsed, written]],
    ['formatAssistantMessage', written, [decoded, parsed]],
    ['extract', extracted, [decoded, parsed, written]],
  ] as const)('by %s are those of the others', ([, first, others]) => {
    const response = reply()
    const ids = first(response)
    expect(new Set(ids).size).toBe(2)
    for (const other of others) expect(other(response)).toEqual(ids)
    expect(parsed(reply())).not.toEqual(ids)
  })

  test('follow the options of decodeResponse', () => {
    const response = reply()
    parsed(response)
    const { message } = decodeResponse(response, 'ollama', { ids: 'sequential' })
    expect(message.toolCalls?.map(({ id }) => id)).toEqual(['read_0', 'read_1'])
    expect(written(response)).toEqual(['read_0', 'read_1'])
  })

  test('are kept beside the id that they replace', () => {
    const twice = chat({ tool_calls: [openaiCall('{}', 'a'), openaiCall('{}', 'a')] })
    const [, second] = parseToolCalls(twice, 'openai')
    const { message, issues } = decodeResponse(twice, 'openai')
    expect(message.toolCalls?.[1]).toMatchObject({ id: second?.id, originalId: 'a' })
    expect(issues).toMatchObject([{ code: 'duplicate-id' }])
  })
})
