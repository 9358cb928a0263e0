import { describe, expect, test } from 'vitest'
import { isServerSide, type NativeCall, readListedCall, readMarkedCall } from './call.ts'

type Found = Partial<Omit<NativeCall, 'raw' | 'known'>>

const city = { city: 'Oslo' }
const text = '{"city": "Oslo"}'

const marked: readonly [shape: string, call: object, found: Found][] = [
  [
    'OpenAI Chat',
    { id: 'c1', type: 'function', function: { name: 'weather', arguments: text } },
    { id: 'c1', name: 'weather', arguments: text, rawArguments: text },
  ],
  [
    'OpenAI Chat without a type',
    { id: 'c1', function: { name: 'weather', arguments: text } },
    { id: 'c1', name: 'weather', arguments: text, rawArguments: text },
  ],
  [
    'OpenAI Chat with an object and no id',
    { type: 'function', id: null, function: { name: 'weather', arguments: city } },
    { name: 'weather', arguments: city },
  ],
  [
    'Ollama',
    { function: { index: 0, name: 'weather', arguments: city } },
    { name: 'weather', arguments: city },
  ],
  [
    'the function call of old, in a list',
    { function_call: { name: 'weather', arguments: text } },
    { name: 'weather', arguments: text, rawArguments: text },
  ],
  [
    'Anthropic',
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: city },
    { id: 'toolu_1', name: 'weather', arguments: city },
  ],
  [
    'Anthropic, called from code',
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {}, caller: { type: 'direct' } },
    { id: 'toolu_1', name: 'weather', arguments: {}, provider: { caller: { type: 'direct' } } },
  ],
  [
    'OpenAI Responses, where call_id is the id',
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: text },
    { id: 'call_1', name: 'weather', arguments: text, rawArguments: text },
  ],
  [
    'Gemini',
    { functionCall: { name: 'weather', args: city }, thoughtSignature: 'c2ln' },
    { name: 'weather', arguments: city, provider: { thoughtSignature: 'c2ln' } },
  ],
  [
    'Gemini with an id and without arguments',
    { functionCall: { name: 'now', id: 'g1' } },
    { id: 'g1', name: 'now', arguments: undefined },
  ],
  [
    'Gemini through its compatible endpoint',
    {
      id: 'c1',
      function: { name: 'weather', arguments: text },
      extra_content: { google: { thought_signature: 'c2ln' } },
    },
    {
      id: 'c1',
      name: 'weather',
      arguments: text,
      rawArguments: text,
      provider: { extra_content: { google: { thought_signature: 'c2ln' } } },
    },
  ],
  [
    'Bedrock',
    { toolUse: { toolUseId: 'tu_1', name: 'weather', input: city } },
    { id: 'tu_1', name: 'weather', arguments: city },
  ],
  [
    'a stream chunk with its id beside it',
    { type: 'tool_call', name: 'weather', arguments: city, metadata: { id: 'c1' } },
    { id: 'c1', name: 'weather', arguments: city },
  ],
  [
    'a stream chunk without a name',
    { type: 'tool_call', name: null, arguments: {}, metadata: {} },
    { arguments: {} },
  ],
  [
    'the AI SDK',
    { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: city },
    { id: 'c1', name: 'weather', arguments: city },
  ],
  [
    'a custom tool, whose input is text',
    { id: 'c1', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } },
    { id: 'c1', name: 'sql', arguments: { input: 'SELECT 1' }, provider: { type: 'custom' } },
  ],
  [
    'a custom tool of the Responses API',
    { type: 'custom_tool_call', call_id: 'c1', name: 'sql', input: 'SELECT 1' },
    { id: 'c1', name: 'sql', arguments: { input: 'SELECT 1' }, provider: { type: 'custom' } },
  ],
  [
    'our own',
    { id: 'c1', name: 'weather', arguments: city, rawArguments: text, origin: 'native' },
    { id: 'c1', name: 'weather', arguments: city, rawArguments: text },
  ],
]

const unmarked: readonly [shape: string, call: object, found: Found][] = [
  [
    'arguments',
    { id: 'c1', name: 'weather', arguments: city },
    { id: 'c1', name: 'weather', arguments: city },
  ],
  ['input', { name: 'weather', input: city }, { name: 'weather', arguments: city }],
  ['parameters', { name: 'weather', parameters: city }, { name: 'weather', arguments: city }],
  ['args', { name: 'weather', args: city }, { name: 'weather', arguments: city }],
  [
    'arguments before input',
    { name: 'w', arguments: city, input: {} },
    { name: 'w', arguments: city },
  ],
  ['nothing but a name', { name: 'now' }, { name: 'now', arguments: undefined }],
  [
    'numbers for names and ids',
    { id: 7, name: 42, args: {} },
    { id: '7', name: '42', arguments: {} },
  ],
]

describe('calls that show what they are', () => {
  test.for(marked)('%s', ([, call, found]) => {
    expect(readMarkedCall(call)).toEqual({ ...found, raw: call, known: true })
    expect(readListedCall(call)).toEqual({ ...found, raw: call, known: true })
  })
})

describe('calls that only their place shows', () => {
  test.for(unmarked)('%s', ([, call, found]) => {
    expect(readMarkedCall(call)).toBeUndefined()
    expect(readListedCall(call)).toEqual({ ...found, raw: call, known: true })
  })

  test.for([null, 'text', 7, [], {}, { type: 'image' }, { query: 'x' }])('%j is none', (value) => {
    expect(readListedCall(value)).toEqual({ arguments: undefined, raw: value, known: false })
  })
})

test.for(['server_tool_use', 'mcp_tool_use', 'mcp_call', 'web_search_call', 'tool_result'])(
  '%s is the business of the provider',
  (type) => {
    expect(isServerSide({ type, id: 'x', name: 'search', input: {} })).toBe(true)
  },
)

test.for(['function_call', 'tool_call', 'custom_tool_call', 'tool_use'])('%s is ours', (type) => {
  expect(isServerSide({ type, id: 'x', name: 'search', input: {} })).toBe(false)
})
