/** The checker finds what strict servers refuse, and nothing where there is nothing. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/json/value.ts'
import { checkHistory } from './history-check.ts'

function faults(dialect: string, body: JsonObject): string[] {
  return checkHistory(body, dialect)
}

const chatCall = (id: string, name = 'tide') => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})
const asks = { role: 'user', content: 'High water in Bergen?' }
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => chatCall(id)),
})
const answers = (id: string) => ({ role: 'tool', tool_call_id: id, content: '14:20' })

describe('openai-chat', () => {
  test('a proper history', () => {
    expect(
      faults('openai-chat', {
        messages: [asks, calls('a', 'b'), answers('b'), answers('a'), asks],
      }),
    ).toEqual([])
  })

  test.for<[string, JsonObject[], RegExp]>([
    ['a call without a result', [asks, calls('a', 'b'), answers('a')], /2 calls have 1 results/],
    ['a result without a call', [asks, answers('a')], /results without calls/],
    ['somebody in between', [asks, calls('a'), asks, answers('a')], /1 calls have 0 results/],
    ['the wrong id', [asks, calls('a'), answers('b')], /ids of calls and results differ/],
    ['an id twice', [asks, calls('a', 'a'), answers('a'), answers('a')], /comes again/],
    ['a long id', [asks, calls('a'.repeat(41)), answers('a'.repeat(41))], /the id "aaa/],
    ['an unknown role', [{ role: 'pilot', content: 'Ahoy' }], /"pilot" is unknown/],
    ['an empty message', [asks, { role: 'assistant', content: '' }], /says nothing/],
    [
      'a name',
      [asks, { role: 'assistant', tool_calls: [chatCall('a', 'sea.tide')] }, answers('a')],
      /the name "sea.tide"/,
    ],
  ])('%s', ([, messages, fault]) => {
    expect(faults('openai-chat', { messages }).join('\n')).toMatch(fault)
  })
})

test('openai-responses: calls that are no functions', () => {
  const input = [
    asks,
    { type: 'custom_tool_call', call_id: 'a', name: 'sql', input: 'SELECT 1' },
    { type: 'apply_patch_call', call_id: 'b', operation: { type: 'delete_file', path: 'p' } },
    { type: 'custom_tool_call_output', call_id: 'a', output: '1' },
    { type: 'apply_patch_call_output', call_id: 'b', status: 'completed' },
  ]
  expect(faults('openai-responses', { input })).toEqual([])
  expect(faults('openai-responses', { input: input.slice(0, 4) }).join('\n')).toMatch(
    /2 calls have 1 results/,
  )
})

test('bedrock: tools that the service runs itself', () => {
  const use = { toolUseId: 'a', name: 'search', type: 'server_tool_use', input: {} }
  const result = { toolUseId: 'a', type: 'search_result', content: [] }
  const content = [{ toolUse: use }, { toolResult: result }, { text: '14:20' }]
  const user = { role: 'user', content: [{ text: 'When?' }] }
  expect(faults('bedrock', { messages: [user, { role: 'assistant', content }] })).toEqual([])
})

test('mistral: ids of nine, and an assistant behind results', () => {
  const messages = [asks, calls('a'), answers('a'), asks]
  expect(faults('mistral', { messages })).toEqual([
    'messages[3]: user right behind results',
    'messages[1]: the id "a"',
  ])
})

describe('anthropic', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'tide', input: {} })
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: '14:20' })
  const tools = [{ name: 'tide', input_schema: { type: 'object' } }]

  test('a proper history', () => {
    const said = [result('a'), { type: 'text', text: 'And tomorrow?' }]
    const messages = [
      asks,
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: said },
    ]
    expect(faults('anthropic', { messages, tools })).toEqual([])
    expect(faults('anthropic', { messages })).toEqual(['there is no tools'])
  })

  test.for<[string, JsonObject[], RegExp]>([
    [
      'results in two messages',
      [
        asks,
        { role: 'assistant', content: [use('a'), use('b')] },
        { role: 'user', content: [result('a')] },
        { role: 'user', content: [result('b')] },
      ],
      /2 calls have 1 results/,
    ],
    [
      'text before results',
      [
        asks,
        { role: 'assistant', content: [use('a')] },
        { role: 'user', content: [{ type: 'text', text: 'Well?' }, result('a')] },
      ],
      /text before results/,
    ],
    ['an assistant first', [{ role: 'assistant', content: 'Ahoy' }], /starts without the user/],
    ['empty text', [{ role: 'user', content: [{ type: 'text', text: ' ' }] }], /empty text/],
  ])('%s', ([, messages, fault]) => {
    expect(faults('anthropic', { messages, tools }).join('\n')).toMatch(fault)
  })
})

test('bedrock: turns alternate', () => {
  const user = { role: 'user', content: [{ text: 'High water?' }] }
  expect(faults('bedrock', { messages: [user, user] })).toEqual(['messages[1]: user twice'])
})

test('gemini: results have the names of their calls, in their order', () => {
  const call = (name: string) => ({ functionCall: { name, args: {} } })
  const response = (name: string) => ({ functionResponse: { name, response: { output: 'x' } } })
  const contents = (...names: string[]) => [
    { role: 'user', parts: [{ text: 'High water?' }] },
    { role: 'model', parts: [call('tide'), call('wind')] },
    { role: 'user', parts: names.map(response) },
  ]
  expect(faults('gemini', { contents: contents('tide', 'wind') })).toEqual([])
  expect(faults('gemini', { contents: contents('wind', 'tide') })).toHaveLength(1)
  expect(faults('gemini', { contents: contents('tide') })).toHaveLength(1)
})

test('openai-responses: a call has its output behind it', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'tide', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: '14:20' }
  expect(faults('openai-responses', { input: [asks, call, output] })).toEqual([])
  expect(faults('openai-responses', { input: [asks, call] })).toHaveLength(1)
  expect(faults('openai-responses', { input: [asks, output] })).toHaveLength(1)
})
