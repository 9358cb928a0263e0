/** The kinds of tools that clients of the Responses API have besides functions, with providers that do not know them. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { objectsIn } from '../../src/dialects/history-call.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import {
  type FakeProviders,
  fakeProviders,
  postRequest,
  sseResponse,
} from '../support/gateway-send.ts'

const NUMBERS = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }
const ADD = { type: 'function', name: 'add', description: 'Adds.', parameters: NUMBERS }
const GRAMMAR = 'start: "*** Begin Patch" LF body "*** End Patch"\n%import common.LF'
const PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: GRAMMAR },
}
const namespace = (name: string, ...tools: readonly JsonObject[]): JsonObject => ({
  type: 'namespace',
  name,
  description: `Tools of ${name}.`,
  tools: [...tools],
})
const ASKS: JsonObject = { role: 'user', content: 'Go.' }
const TEXT = '*** Begin Patch\n+"quoted"\n*** End Patch'

/** What the model does: calls of its own, or text. */
type Said = { readonly calls: readonly (readonly [string, string])[] } | { readonly text: string }

function chatReply(said: Said, isStream: boolean): Response {
  const calls = 'calls' in said ? said.calls : []
  const message = {
    role: 'assistant',
    content: 'text' in said ? said.text : null,
    ...(calls.length > 0 && {
      tool_calls: calls.map(([name, args], index) => ({
        ...{ index, id: `call_${index}`, type: 'function' },
        function: { name, arguments: args },
      })),
    }),
  }
  const reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  if (!isStream) {
    return Response.json({ choices: [{ index: 0, message, finish_reason: reason }], usage })
  }
  return sseResponse(
    { choices: [{ index: 0, delta: message, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: reason }], usage },
    '[DONE]',
  )
}

const PROVIDERS = {
  chat: { provider: 'openai-compatible', baseUrl: 'http://chat.test/v1' },
  plain: { provider: 'responses-compatible', baseUrl: 'http://plain.test/v1' },
  openai: { baseUrl: 'http://openai.test/v1', apiKey: 'sk-none' },
}

interface Answered {
  /** The items of the reply. */
  readonly items: readonly JsonObject[]
  readonly events: readonly JsonObject[]
  readonly response: JsonObject
}

async function ask(services: FakeProviders, model: string, body: JsonObject): Promise<Answered> {
  const gateway = createGateway(
    { demo: false, providers: PROVIDERS },
    { send: services.send, env: {} },
  )
  const reply = await gateway.fetch(postRequest('/v1/responses', { model, ...body }))
  const text = await reply.text()
  expect(reply.status, text).toBe(200)
  if (body['stream'] !== true) {
    const response = JSON.parse(text)
    return { items: objectsIn(response.output), events: [], response }
  }
  const events: JsonObject[] = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    JSON.parse(data),
  )
  const { response = {} } = events.at(-1) ?? {}
  const items = events.flatMap(({ type, item }) =>
    type === 'response.output_item.done' ? objectsIn([item]) : [],
  )
  return { items, events, response: response as JsonObject }
}

/** The names of the tools that the provider was sent. */
function sentNames({ requests }: FakeProviders): string[] {
  return objectsIn(requests.at(-1)?.body['tools']).map((tool) => {
    const { name } = objectsIn([tool['function']])[0] ?? tool
    return String(name)
  })
}

const LEAK = '<tool_call>\n{"name": "mcp__tiny__add", "arguments": {"a": 2, "b": 40}}\n</tool_call>'

describe.for([false, true])('streamed: %s', (stream) => {
  test.for<readonly [string, Said]>([
    ['a call of the provider', { calls: [['mcp__tiny__add', '{"a":2,"b":40}']] }],
    ['a call in the text', { text: LEAK }],
  ])('a call to a tool in a namespace has the namespace: %s', async ([, said]) => {
    const services = fakeProviders(() => chatReply(said, stream))
    const tools = [namespace('mcp__tiny', ADD), namespace('mcp__other__', ADD), ADD]
    const { items } = await ask(services, 'chat/m', { input: [ASKS], tools, stream })
    expect(sentNames(services)).toEqual(['mcp__tiny__add', 'mcp__other__add', 'add'])
    expect(items).toMatchObject([
      {
        type: 'function_call',
        name: 'add',
        namespace: 'mcp__tiny',
        arguments: expect.stringMatching(/^\{"a": ?2, ?"b": ?40\}$/),
      },
    ])
  })

  test.for<readonly [string, Said]>([
    ['its argument', { calls: [['apply_patch', JSON.stringify({ input: TEXT })]] }],
    ['the text alone', { calls: [['apply_patch', TEXT]] }],
    ['a JSON string', { calls: [['apply_patch', JSON.stringify(TEXT)]] }],
    [
      'a call in the text',
      {
        text: `<tool_call>\n${JSON.stringify({ name: 'apply_patch', arguments: { input: TEXT } })}\n</tool_call>`,
      },
    ],
    [
      'text alone in a call in the text',
      {
        text: `<tool_call>\n${JSON.stringify({ name: 'apply_patch', arguments: TEXT })}\n</tool_call>`,
      },
    ],
  ])('a call to a tool that takes text is one: %s', async ([, said]) => {
    const services = fakeProviders(() => chatReply(said, stream))
    const { items, events } = await ask(services, 'chat/m', {
      input: [ASKS],
      tools: [PATCH],
      stream,
    })
    expect(items).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: TEXT }])
    const pieces = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
    if (stream) expect(pieces.map(({ delta }) => delta).join('')).toBe(TEXT)
    const [tool] = objectsIn(services.requests[0]?.body['tools'])
    expect(tool).toMatchObject({
      type: 'function',
      function: {
        description: expect.stringContaining(GRAMMAR),
        parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
      },
    })
  })

  test('a text that was cut off is no call', async () => {
    const services = fakeProviders(() => {
      const call = { index: 0, id: 'a', function: { name: 'apply_patch', arguments: '*** Begin' } }
      const delta = { role: 'assistant', content: null, tool_calls: [call] }
      if (stream) return sseResponse({ choices: [{ delta, finish_reason: 'length' }] }, '[DONE]')
      return Response.json({ choices: [{ message: delta, finish_reason: 'length' }] })
    })
    const { items } = await ask(services, 'chat/m', { input: [ASKS], tools: [PATCH], stream })
    const made = items.filter(({ type, status }) => type !== 'message' && status === 'completed')
    expect(made).toEqual([])
  })

  test('tools may come in an item of the conversation', async () => {
    const said = { calls: [['functions__exec', JSON.stringify({ input: TEXT })]] } as const
    const services = fakeProviders(() => chatReply(said, stream))
    const exec = namespace('functions', { type: 'custom', name: 'exec' })
    const input = [{ type: 'additional_tools', role: 'developer', tools: [exec] }, ASKS]
    const { items } = await ask(services, 'chat/m', { input, stream })
    expect(sentNames(services)).toEqual(['functions__exec'])
    expect(services.requests[0]?.body['messages']).toEqual([ASKS])
    const called = { type: 'custom_tool_call', name: 'exec', namespace: 'functions', input: TEXT }
    expect(items).toMatchObject([called])
  })

  test('a search for tools is a call that the client understands', async () => {
    const said = { calls: [['tool_search', '{"query":"sum"}']] } as const
    const services = fakeProviders(() => chatReply(said, stream))
    const search = {
      type: 'tool_search',
      execution: 'client',
      description: 'Finds tools.',
      parameters: { type: 'object', properties: { query: { type: 'string' } } },
    }
    const { items } = await ask(services, 'chat/m', { input: [ASKS], tools: [search], stream })
    expect(sentNames(services)).toEqual(['tool_search'])
    const called = { type: 'tool_search_call', execution: 'client', arguments: { query: 'sum' } }
    expect(items).toMatchObject([called])
    const [{ call_id: id = null } = {}] = items
    const found = { type: 'tool_search_output', call_id: id, tools: [namespace('mcp__tiny', ADD)] }
    const input = [ASKS, ...items, { ...found, execution: 'client', status: 'completed' }]
    await ask(services, 'chat/m', { input, tools: [search], stream })
    expect(sentNames(services)).toEqual(['tool_search', 'mcp__tiny__add'])
    expect(objectsIn(services.requests.at(-1)?.body['messages']).slice(1)).toMatchObject([
      { tool_calls: [{ function: { name: 'tool_search', arguments: '{"query":"sum"}' } }] },
      { role: 'tool', content: expect.stringContaining('mcp__tiny__add') },
    ])
  })

  test('usage is complete', async () => {
    const services = fakeProviders(() => chatReply({ text: 'Done.' }, stream))
    const { response } = await ask(services, 'chat/m', { input: [ASKS], stream })
    expect(response['usage']).toEqual({
      input_tokens: 3,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 7,
    })
  })
})

test.for([false, true])('usage that passes is completed, streamed: %s', async (stream) => {
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [], usage }
  const services = fakeProviders(() =>
    stream
      ? sseResponse({ type: 'response.completed', sequence_number: 0, response })
      : Response.json(response),
  )
  const { response: whole } = await ask(services, 'plain/m', { input: [ASKS], stream })
  expect(whole).toEqual({
    ...response,
    usage: {
      ...usage,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  })
})

const HISTORY: readonly JsonObject[] = [
  ASKS,
  {
    type: 'function_call',
    call_id: 'a',
    name: 'add',
    namespace: 'mcp__tiny',
    arguments: '{"a":1}',
  },
  { type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: TEXT },
  { type: 'function_call_output', call_id: 'a', output: '42' },
  { type: 'custom_tool_call_output', call_id: 'b', output: 'Success.' },
]
const TOOLS = [namespace('mcp__tiny', ADD), PATCH, { type: 'web_search' }]

describe('histories', () => {
  test('name tools as the list of tools does', async () => {
    const services = fakeProviders(() => chatReply({ text: 'Done.' }, false))
    await ask(services, 'chat/m', { input: [...HISTORY], tools: TOOLS })
    expect(services.requests[0]?.body['messages']).toEqual([
      ASKS,
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'mcp__tiny__add', arguments: '{"a":1}' } },
          {
            ...{ id: 'b', type: 'function' },
            function: { name: 'apply_patch', arguments: JSON.stringify({ input: TEXT }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '42' },
      { role: 'tool', tool_call_id: 'b', content: 'Success.' },
    ])
  })

  test('go to a Responses service without these kinds as calls of functions', async () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'mcp__tiny__add', arguments: '{}' },
    ]
    const services = fakeProviders(() =>
      Response.json({ id: 'resp_1', object: 'response', status: 'completed', output }),
    )
    const reasoning = { type: 'reasoning', id: 'rs_0', summary: [], encrypted_content: 'y' }
    const input = [ASKS, reasoning, ...HISTORY.slice(1)]
    const { items } = await ask(services, 'plain/m', { input, tools: TOOLS })
    expect(sentNames(services)).toEqual(['mcp__tiny__add', 'apply_patch', 'undefined'])
    expect(services.requests[0]?.body['input']).toMatchObject([
      ASKS,
      reasoning,
      { type: 'function_call', call_id: 'a', name: 'mcp__tiny__add', arguments: '{"a":1}' },
      { type: 'function_call', name: 'apply_patch', arguments: JSON.stringify({ input: TEXT }) },
      { type: 'function_call_output', call_id: 'a' },
      { type: 'function_call_output', call_id: 'b', output: 'Success.' },
    ])
    expect(JSON.stringify(services.requests[0]?.body)).not.toContain('"namespace"')
    expect(items).toMatchObject([
      { type: 'reasoning', encrypted_content: 'x' },
      { type: 'function_call', call_id: 'c', name: 'add', namespace: 'mcp__tiny' },
    ])
  })

  test('and tools pass untouched to a service that knows them', async () => {
    const services = fakeProviders(() =>
      Response.json({ id: 'resp_1', object: 'response', status: 'completed', output: [] }),
    )
    const body = { input: [...HISTORY], tools: TOOLS }
    await ask(services, 'openai/gpt-6', body)
    expect(services.requests[0]?.body).toEqual({ model: 'gpt-6', ...body })
  })
})

test.for([false, true])(
  'a call in the text of such a service gets its kind, streamed: %s',
  async (stream) => {
    const call = { name: 'apply_patch', arguments: { input: TEXT } }
    const text = `${LEAK}\n<tool_call>\n${JSON.stringify(call)}\n</tool_call>`
    const part = { type: 'output_text', text, annotations: [] }
    const message = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [part],
    }
    const response = { id: 'resp_1', object: 'response', status: 'completed', output: [message] }
    const where = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    const services = fakeProviders(() =>
      stream
        ? sseResponse(
            {
              type: 'response.created',
              response: { ...response, status: 'in_progress', output: [] },
            },
            {
              type: 'response.output_item.added',
              output_index: 0,
              item: { ...message, content: [] },
            },
            { type: 'response.output_text.delta', ...where, delta: text },
            { type: 'response.output_text.done', ...where, text },
            { type: 'response.output_item.done', output_index: 0, item: message },
            { type: 'response.completed', response },
          )
        : Response.json(response),
    )
    const { items, response: whole } = await ask(services, 'openai/gpt-6', {
      input: [ASKS],
      tools: TOOLS,
      stream,
    })
    const calls = [
      { type: 'function_call', name: 'add', namespace: 'mcp__tiny', arguments: '{"a":2,"b":40}' },
      { type: 'custom_tool_call', name: 'apply_patch', input: TEXT },
    ]
    expect(items).toMatchObject(calls)
    expect(whole['output']).toMatchObject(calls)
  },
)
