/** What is special about the Responses API: items in order, two ids, numbered events. */
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest } from '../../src/core/chat.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { openaiResponses } from '../../src/dialects/openai-responses.ts'
import { heal } from '../../src/dialects/transcode.ts'
import { checkHistory } from '../../src/testing/history-check.ts'
import { call, clock, eventsOf, responses, weather } from './samples.ts'

function reply(output: JsonObject[], rest: JsonObject = {}): JsonObject {
  return { id: 'resp_1', object: 'response', model: 'm', status: 'completed', output, ...rest }
}

function functionCall(name: string, args: string, rest: JsonObject = {}): JsonObject {
  return {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name,
    arguments: args,
    status: 'completed',
    ...rest,
  }
}

function encoded(request: Partial<ChatRequest>): JsonObject & { input: JsonObject[] } {
  const body = openaiResponses.encodeRequest({ model: 'm', messages: [], ...request })
  return body as JsonObject & { input: JsonObject[] }
}

function play(events: readonly JsonObject[]): ChatEvent[] {
  const decoder = openaiResponses.createStreamDecoder()
  const frames = events.map((event) => ({ data: JSON.stringify(event) }))
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }
const message = {
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
}

describe('items', () => {
  test('reasoning comes back before what it led to', () => {
    const output = [reasoning, functionCall('get_time', '{"city": "Oslo"}'), message]
    const decoded = openaiResponses.decodeResponse(reply(output))
    expect(decoded).toMatchObject({
      finishReason: 'tool-calls',
      message: {
        content: 'I look.',
        toolCalls: [{ id: 'call_1', rawArguments: '{"city": "Oslo"}' }],
      },
    })
    expect(encoded({ messages: [decoded.message] }).input).toEqual(output)
    expect(openaiResponses.encodeResponse(decoded)['output']).toEqual(output)
  })

  test('a call that was changed goes without its reasoning and its item id', () => {
    const { message: said } = openaiResponses.decodeResponse(
      reply([reasoning, functionCall('f', '{}')]),
    )
    const changed = { ...said, toolCalls: [call('call_9', 'f', { a: 1 })] }
    expect(encoded({ messages: [changed] }).input).toEqual([
      { type: 'function_call', call_id: 'call_9', name: 'f', arguments: '{"a":1}' },
    ])
  })

  test('have the ids that calls and results were given since', () => {
    const turn = (at: number): JsonObject[] => [
      { type: 'reasoning', id: `rs_${at}`, summary: [], encrypted_content: 'gAAA' },
      { type: 'function_call', id: `fc_${at}`, call_id: 'call_0', name: 'f', arguments: '' },
      { type: 'function_call_output', id: `o_${at}`, call_id: 'call_0', output: `${at}` },
    ]
    const input = [{ role: 'user', content: 'Twice.' }, ...turn(1), ...turn(2)]
    const healed = heal(input, 'openai-responses') as JsonObject[]
    expect(checkHistory({ input: healed }, 'openai-responses')).toEqual([])
    expect(healed.flatMap(({ id = [] }) => id)).toEqual(['rs_1', 'fc_1', 'rs_2', 'fc_2'])
    expect(heal(healed, 'openai-responses')).toEqual(healed)
  })

  test('plain items need not be kept', () => {
    const { message: said } = openaiResponses.decodeResponse(
      reply([message, functionCall('f', '{}')]),
    )
    expect(said.extra).toBeUndefined()
    expect(encoded({ messages: [said] }).input).toEqual([
      { role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
    ])
  })

  test('a request comes back as it was', () => {
    const input = [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', file_id: 'f1' },
        ],
      },
      reasoning,
      functionCall('look', '{}', { namespace: 'eyes' }),
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'function_call_output', call_id: 'call_1', output: '[ERROR:ENOENT] gone' },
    ]
    const body = {
      model: 'm',
      input,
      tools: [{ type: 'web_search' }, { type: 'custom', name: 'sql' }],
      tool_choice: { type: 'web_search' },
      text: { verbosity: 'low' },
      store: false,
    }
    const request = openaiResponses.decodeRequest(body)
    expect(request).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Look' },
        {
          role: 'assistant',
          toolCalls: [{ id: 'call_1', name: 'look', provider: { namespace: 'eyes' } }],
        },
        {
          role: 'tool',
          toolResults: [{ callId: 'call_1', content: 'gone', isError: true, errorCode: 'ENOENT' }],
        },
      ],
      tools: [{ name: 'sql', inputSchema: { properties: { input: { type: 'string' } } } }],
    })
    const again = openaiResponses.encodeRequest(request)
    expect(again).toEqual({ ...body, tools: expect.arrayContaining(body.tools) })
  })

  test('mere text is a message of the user', () => {
    const { messages } = openaiResponses.decodeRequest({
      model: 'm',
      input: 'Hi',
      instructions: 'Short.',
    })
    expect(messages).toEqual([
      { role: 'system', content: 'Short.' },
      { role: 'user', content: 'Hi' },
    ])
    expect(() => openaiResponses.decodeRequest({ model: 'm' })).toThrow(TypeError)
  })

  test('results hold images', () => {
    const content = [
      { type: 'text', text: 'Seen' } as const,
      { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const,
    ]
    const toolResults = [{ callId: 'c', content, isError: true, errorCode: 'Timeout' }]
    const body = encoded({ messages: [{ role: 'tool', content: '', toolResults }] })
    expect(body.input[0]?.['output']).toEqual([
      { type: 'input_text', text: '[ERROR:Timeout] Seen' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ])
    expect(openaiResponses.decodeRequest(body).messages[0]?.toolResults).toEqual(toolResults)
  })
})

describe('tools', () => {
  test('say whether they are strict', () => {
    const body = encoded({ tools: [weather, { ...clock, strict: true }] })
    expect(body['tools']).toMatchObject([
      { type: 'function', name: 'get_weather', strict: false },
      { type: 'function', name: 'get_time', strict: true },
    ])
  })

  test.for([
    ['required', 'required'],
    [{ name: 'get_time' }, { type: 'function', name: 'get_time' }],
    [
      { names: ['get_time'], required: true },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_time' }] },
    ],
  ] as const)('choice %j', ([toolChoice, wanted]) => {
    const body = encoded({ tools: [clock], toolChoice })
    expect(body['tool_choice']).toEqual(wanted)
    expect(openaiResponses.decodeRequest(body).toolChoice).toEqual(toolChoice)
  })
})

describe('calls that are no functions', () => {
  test('a patch is asked for and answered', () => {
    const operation = { type: 'delete_file', path: 'old.txt' }
    const item = {
      type: 'apply_patch_call',
      id: 'apc_1',
      call_id: 'call_1',
      status: 'completed',
      operation,
    }
    const decoded = openaiResponses.decodeResponse(reply([item]))
    expect(decoded.message.toolCalls).toMatchObject([
      { id: 'call_1', name: 'apply_patch_call', arguments: operation },
    ])
    const toolResults = [{ callId: 'call_1', content: 'no such file', isError: true }]
    const { input } = encoded({
      messages: [decoded.message, { role: 'tool', content: '', toolResults }],
    })
    expect(input).toMatchObject([
      { type: 'apply_patch_call', call_id: 'call_1', operation },
      {
        type: 'apply_patch_call_output',
        call_id: 'call_1',
        status: 'failed',
        output: 'no such file',
      },
    ])
  })

  test('what the provider runs itself is none', () => {
    const items = [
      { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} },
      message,
    ]
    expect(openaiResponses.decodeResponse(reply(items)).message.toolCalls).toBeUndefined()
  })

  const uses = [
    { recipient_name: 'functions.get_time', parameters: { city: 'Oslo' } },
    { recipient_name: 'functions.get_weather', parameters: { city: 'Bergen' } },
  ]
  const leaked = functionCall('parallel', JSON.stringify({ tool_uses: uses }))
  const tools = ['get_time', 'get_weather'].map((name) => ({
    type: 'function',
    name,
    parameters: {},
  }))
  const created = { type: 'response.created', response: { id: 'resp_1', model: 'm', tools } }
  const done = { type: 'response.output_item.done', output_index: 0, item: leaked }
  const completed = { type: 'response.completed', response: reply([leaked], { tools }) }

  test('several calls in one are told apart, and answered as one', () => {
    const { message: said } = openaiResponses.decodeResponse(reply([leaked], { tools }))
    expect(said.toolCalls).toMatchObject([
      { id: 'call_1_0', name: 'get_time', arguments: { city: 'Oslo' } },
      { id: 'call_1_1', name: 'get_weather', arguments: { city: 'Bergen' } },
    ])
    const toolResults = ['call_1_0', 'call_1_1'].map((callId) => ({ callId, content: callId }))
    const { input } = encoded({ messages: [said, { role: 'tool', content: '', toolResults }] })
    expect(input).toEqual([
      leaked,
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: '[{"output":"call_1_0"},{"output":"call_1_1"}]',
      },
    ])
  })

  test('also in a stream', () => {
    const added = {
      ...done,
      type: 'response.output_item.added',
      item: { ...leaked, arguments: '' },
    }
    const events = play([created, added, done, completed])
    const calls = events.flatMap((event) => (event.type === 'call-end' ? [event.call.name] : []))
    expect(calls).toEqual(['get_time', 'get_weather'])
    expect(events.at(-1)).toMatchObject({
      response: { message: { toolCalls: [{ id: 'call_1_0' }, { id: 'call_1_1' }] } },
    })
  })

  test('but not when somebody offered such a tool', () => {
    const declared = [...tools, { type: 'function', name: 'parallel', parameters: {} }]
    const { message: said } = openaiResponses.decodeResponse(reply([leaked], { tools: declared }))
    expect(said.toolCalls).toMatchObject([{ id: 'call_1', name: 'parallel' }])
    const { message: unknown } = openaiResponses.decodeResponse(reply([leaked]))
    expect(unknown.toolCalls).toMatchObject([{ id: 'call_1', name: 'parallel' }])
  })
})

describe('streams', () => {
  const item = functionCall('get_time', '', { status: 'in_progress' })
  const added = { type: 'response.output_item.added', output_index: 0, item }

  test('are told apart by place, not by id', () => {
    const delta = (index: number, id: string, text: string): JsonObject => ({
      type: 'response.function_call_arguments.delta',
      item_id: id,
      output_index: index,
      delta: text,
    })
    const second = { ...item, call_id: 'call_2', name: 'get_weather' }
    const events = play([
      added,
      { ...added, output_index: 1, item: second },
      delta(0, 'r1', '{"city":'),
      delta(1, 'r2', '{"days":'),
      delta(0, 'r3', '"Oslo"}'),
      delta(1, 'r4', '2}'),
      { type: 'response.completed', response: { id: 'x', status: 'completed', output: [] } },
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      response: {
        message: {
          toolCalls: [
            { id: 'call_1', arguments: { city: 'Oslo' } },
            { id: 'call_2', arguments: { days: 2 } },
          ],
        },
      },
    })
  })

  test('say messages and their parts one below the other', () => {
    const say = (output_index: number, content_index: number, delta: string): JsonObject => ({
      ...{ type: 'response.output_text.delta', output_index, content_index, delta },
    })
    const events = play([
      ...[say(0, 0, 'I '), say(0, 0, 'look.'), say(0, 1, 'Wait.'), say(1, 0, 'Done.')],
      { type: 'response.completed', response: { id: 'x', status: 'completed', output: [] } },
    ])
    const told = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
    expect(told.join('')).toBe('I look.\nWait.\nDone.')
    expect(events.at(-1)).toMatchObject({ response: { message: { content: told.join('') } } })
  })

  test('are told apart by id where there is no place', () => {
    const { output_index: _, ...unplaced } = { ...added, item: { ...item, id: 'fc_1' } }
    const second = { ...item, id: 'fc_2', call_id: 'call_2' }
    const delta = (id: string, text: string): JsonObject => ({
      ...{ type: 'response.function_call_arguments.delta', item_id: id, delta: text },
    })
    const events = play([
      ...[unplaced, { ...unplaced, item: second }],
      ...[delta('fc_1', '{"city":'), delta('fc_2', '{}'), delta('fc_1', '"Oslo"}')],
      { type: 'response.completed', response: { id: 'x', status: 'completed', output: [] } },
    ])
    expect(events.at(-1)).toMatchObject({
      response: {
        message: {
          toolCalls: [
            { id: 'call_1', arguments: { city: 'Oslo' } },
            { id: 'call_2', arguments: {} },
          ],
        },
      },
    })
  })

  test('a reply that comes only at the end is told as well', () => {
    const events = play([
      { type: 'response.completed', response: reply([message, functionCall('f', '{"a":1}')]) },
    ])
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'text-delta',
      'call-start',
      'call-delta',
      'call-end',
      'finish',
    ])
  })

  test('text for a tool that takes text is one argument', () => {
    const custom = {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'call_1',
      name: 'sql',
      input: '',
    }
    const input = 'SELECT "a"\n'
    const events = play([
      { ...added, item: custom },
      { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'SELECT "a' },
      { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: '"\n' },
      { type: 'response.output_item.done', output_index: 0, item: { ...custom, input } },
      { type: 'response.completed', response: reply([]) },
    ])
    const ended = events.find((event) => event.type === 'call-end')
    expect(ended).toMatchObject({ call: { name: 'sql', arguments: { input } } })
    expect(events.at(-1)).toMatchObject({
      response: {
        message: {
          toolCalls: [{ name: 'sql', arguments: { input }, provider: { type: 'custom' } }],
        },
      },
    })
  })

  test.for<[JsonObject, string]>([
    [
      { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down', param: null },
      'rate_limit_exceeded',
    ],
    [
      { type: 'error', error: { type: 'insufficient_quota', code: null, message: 'No money' } },
      'insufficient_quota',
    ],
    [
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'Oh' } } },
      'server_error',
    ],
  ])('%j is a failure', ([event, code]) => {
    const events = play([added, event])
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code } })
  })

  test('cut off by its length is no call', () => {
    const response = reply([functionCall('f', '{"a": "x', { status: 'incomplete' })], {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
    const last = play([{ type: 'response.incomplete', response }]).at(-1)
    expect(last).toMatchObject({
      response: { finishReason: 'length', issues: [{ name: 'f', raw: '{"a": "x' }] },
    })
  })
})

test('reasoning may be counted beside the output', () => {
  const usage = {
    ...{ input_tokens: 9, output_tokens: 2, total_tokens: 16 },
    output_tokens_details: { reasoning_tokens: 5 },
  }
  const response = openaiResponses.decodeResponse(reply([message], { usage }))
  expect(response.usage).toMatchObject({ outputTokens: 7, reasoningTokens: 5, totalTokens: 16 })
})

test('counts that others lack survive', () => {
  const usage = {
    ...{ input_tokens: 9, output_tokens: 2, total_tokens: 11 },
    input_tokens_details: { cached_tokens: 4, image_tokens: 3 },
    num_server_side_tools_used: 2,
  }
  const response = openaiResponses.decodeResponse(reply([message], { usage }))
  expect(openaiResponses.encodeResponse(response)['usage']).toEqual({
    ...usage,
    output_tokens_details: { reasoning_tokens: 0 },
  })
})

test.for(['cancelled', 'queued', 'in_progress'])('a reply that is %s stays so', (status) => {
  const response = openaiResponses.decodeResponse({ id: 'resp_1', status, output: [] })
  expect(response.stopReason).toBe(status)
  expect(openaiResponses.encodeResponse(response)).toMatchObject({ status })
})

test('events are written in the order that clients rely on', () => {
  const encoder = openaiResponses.createStreamEncoder()
  const source = responses['calls']
  const whole = source && { ...source, message: { ...source.message, reasoning: 'Hm.' } }
  const frames = whole ? eventsOf(whole).flatMap((event) => encoder.push(event)) : []
  const data = frames.map((frame) => JSON.parse(frame.data) as JsonObject)
  expect(data.map((event) => event['sequence_number'])).toEqual(data.map((_, at) => at))
  expect(frames.map(({ event }) => event)).toEqual(data.map(({ type }) => type))
  const types = data.map(({ type }) => String(type).replace('response.', ''))
  const order = types.filter((type, at) => type !== types[at - 1])
  const callEvents = [
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
  ]
  expect(order).toEqual([
    ...['created', 'in_progress', 'output_item.added', 'reasoning_summary_part.added'],
    ...['reasoning_summary_text.delta', 'reasoning_summary_text.done'],
    ...['reasoning_summary_part.done', 'output_item.done', 'output_item.added'],
    ...['content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'],
    ...['output_item.done', ...callEvents, ...callEvents, 'completed'],
  ])
  const items = data.filter(({ type }) => type === 'response.output_item.done')
  const last = data.at(-1)?.['response'] as JsonObject
  expect(last['output']).toEqual(items.map((event) => event['item']))
})
