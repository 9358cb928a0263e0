/** What is special about Google's Interactions: steps, signed thoughts, input in many forms. */
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest } from '../../src/core/chat.ts'
import type { Issue } from '../../src/core/issue.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import type { Message } from '../../src/core/model.ts'
import { googleInteractions } from '../../src/dialects/google-interactions.ts'
import { transcode } from '../../src/dialects/transcode.ts'
import { call, clock, weather } from './samples.ts'

const { decodeRequest, decodeResponse, encodeRequest, encodeResponse } = googleInteractions

const THOUGHT = {
  type: 'thought',
  signature: 'Q2lSbE1q',
  summary: [{ type: 'text', text: 'Rain, most likely.' }],
}
const CALL = { type: 'function_call', id: 'a1', name: 'get_weather', arguments: { city: 'Bergen' } }
const SEARCH = [
  { type: 'google_search_call', id: 's1', arguments: { queries: ['Bergen'] }, signature: '' },
  { type: 'google_search_result', call_id: 's1', result: [{ title: 'A rainy town' }] },
]

function spoken(text: string): JsonObject {
  return { type: 'model_output', content: [{ type: 'text', text }] }
}

function reply(steps: JsonObject[], rest: JsonObject = {}): JsonObject {
  return {
    id: 'v1_x',
    object: 'interaction',
    model: 'gemini-3-pro',
    status: 'completed',
    steps,
    ...rest,
  }
}

function encoded(request: Partial<ChatRequest>, issues: Issue[] = []): JsonObject {
  const report = (issue: Issue) => void issues.push(issue)
  return encodeRequest({ model: 'gemini-3-pro', messages: [], ...request }, { report })
}

function messagesIn(input: JsonValue): readonly Message[] {
  return decodeRequest({ model: 'm', input }).messages
}

function play(events: readonly JsonObject[]): ChatEvent[] {
  const decoder = googleInteractions.createStreamDecoder({ ids: 'sequential' })
  const frames = events.map((event) => ({ data: JSON.stringify(event) }))
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

const CREATED = {
  event_type: 'interaction.created',
  interaction: { id: 'v1_x', object: 'interaction', model: 'gemini-3-pro', status: 'in_progress' },
}
const COMPLETED = {
  event_type: 'interaction.completed',
  interaction: { id: 'v1_x', status: 'completed', usage: { total_tokens: 3 } },
}

function start(index: number, step: JsonObject): JsonObject {
  return { event_type: 'step.start', index, step }
}
function grow(index: number, delta: JsonObject): JsonObject {
  return { event_type: 'step.delta', index, delta }
}
function stop(index: number): JsonObject {
  return { event_type: 'step.stop', index }
}

function sketch(content: JsonObject): JsonObject {
  return { type: 'thought_summary', content }
}
function isJson({ data }: { readonly data: string }): boolean {
  return data.startsWith('{')
}

describe('steps of a turn', () => {
  const steps = [THOUGHT, ...SEARCH, spoken('Let me see.'), CALL]
  const { message } = decodeResponse(reply(steps))

  test('are read', () => {
    expect(message).toMatchObject({
      content: 'Let me see.',
      reasoning: 'Rain, most likely.',
      toolCalls: [{ id: 'a1', name: 'get_weather', arguments: { city: 'Bergen' } }],
    })
  })

  test('think in pieces that are one text', () => {
    const summary = ['Rain, ', 'most likely.'].map((text) => ({ type: 'text', text }))
    const pieces = reply([{ ...THOUGHT, summary }])
    const response = decodeResponse(pieces)
    expect(response.message.reasoning).toBe('Rain, most likely.')
    expect(encodeResponse(response)['steps']).toEqual(pieces['steps'])
  })

  test('go back as they came, signed and with what the service did itself', () => {
    expect(encoded({ messages: [message] })['input']).toEqual(steps)
    expect(encodeResponse({ ...decodeResponse(reply(steps)) })['steps']).toEqual(steps)
  })

  test('keep their signature when the words were changed', () => {
    const changed = { ...message, content: 'Well.' }
    expect(encoded({ messages: [changed] })['input']).toEqual([THOUGHT, spoken('Well.'), CALL])
  })

  test('lose thoughts that nobody signed, which is told', () => {
    const issues: Issue[] = []
    const foreign: Message = { role: 'assistant', content: 'Hm.', reasoning: 'No idea.' }
    expect(encoded({ messages: [foreign] }, issues)['input']).toEqual([spoken('Hm.')])
    expect(issues).toMatchObject([{ code: 'lost-field' }])
  })

  test('have the ids that calls were given since', () => {
    const renamed = { ...message, toolCalls: [call('b2', 'get_weather', { city: 'Bergen' })] }
    expect(encoded({ messages: [renamed] })['input']).toContainEqual({ ...CALL, id: 'b2' })
  })

  test('with pictures are a list of parts', () => {
    const picture = { type: 'image', data: 'iVBORw0=', mime_type: 'image/png' }
    const output = [{ type: 'model_output', content: [{ type: 'text', text: 'Look:' }, picture] }]
    const drawn = decodeResponse(reply(output)).message
    expect(drawn.content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image', data: 'iVBORw0=', mediaType: 'image/png' },
    ])
    expect(encoded({ messages: [drawn] })['input']).toEqual(output)
  })
})

describe('input', () => {
  const asked = [{ role: 'user', content: 'Is it cold?' }]
  const text = { type: 'text', text: 'Is it cold?' }

  test.for([
    ['a text', 'Is it cold?'],
    ['a content', text],
    ['a list of contents', [text]],
    ['a list of steps', [{ type: 'user_input', content: [text] }]],
    ['a step with a mere text', [{ type: 'user_input', content: 'Is it cold?' }]],
  ] as const)('as %s', ([, input]) => {
    expect(messagesIn(input as JsonValue)).toEqual(asked)
  })

  test('with results among what the user says', () => {
    const result = { type: 'function_result', call_id: 'a1', name: 'get_weather', result: '4 °C' }
    const messages = messagesIn([CALL, { type: 'user_input', content: [result, text] }])
    expect(messages.slice(1)).toEqual([
      {
        role: 'tool',
        content: '',
        toolResults: [{ callId: 'a1', name: 'get_weather', content: '4 °C' }],
      },
      ...asked,
    ])
  })

  test('that only this service understands comes back as it was', () => {
    const input = [
      { type: 'user_input', content: [{ ...text, annotations: [] }] },
      ...SEARCH,
      spoken('It rains.'),
      { type: 'function_result', call_id: 'a1', result: { degrees: 4 } },
    ]
    expect(encoded({ messages: messagesIn(input) })['input']).toEqual(input)
  })

  test('as a list of messages is told by its steps', () => {
    const list = [{ type: 'user_input', content: [text] }, spoken('It is.')]
    expect(transcode(list, { to: 'openai-chat' })).toEqual([
      ...asked,
      { role: 'assistant', content: 'It is.' },
    ])
  })

  test('is demanded', () => {
    expect(() => decodeRequest({ model: 'm' })).toThrow(/has an input/)
  })
})

describe('results', () => {
  test('say that they failed, and why', () => {
    const results: Message = {
      role: 'tool',
      content: '',
      toolResults: [
        { callId: 'a1', content: 'no such town', isError: true, errorCode: 'not_found' },
        { callId: 'a2', content: [{ type: 'image', data: 'iVBORw0=', mediaType: 'image/png' }] },
      ],
    }
    const input = encoded({ messages: [results] })['input']
    expect(input).toEqual([
      {
        type: 'function_result',
        call_id: 'a1',
        result: '[ERROR:not_found] no such town',
        is_error: true,
      },
      {
        type: 'function_result',
        call_id: 'a2',
        result: [{ type: 'image', data: 'iVBORw0=', mime_type: 'image/png' }],
      },
    ])
    expect(messagesIn(input as JsonValue)).toEqual([results])
  })
})

describe('settings', () => {
  test.for([
    ['none', 'none'],
    ['required', 'any'],
    ['auto', 'auto'],
    [{ name: 'get_time' }, { allowed_tools: { mode: 'any', tools: ['get_time'] } }],
    [
      { names: ['get_time', 'get_weather'] },
      { allowed_tools: { mode: 'validated', tools: ['get_time', 'get_weather'] } },
    ],
  ] as const)('the choice %j', ([toolChoice, written]) => {
    const body = encoded({ tools: [weather, clock], toolChoice })
    expect(body['generation_config']).toEqual({ tool_choice: written })
    expect(decodeRequest(body).toolChoice).toEqual(toolChoice)
  })

  test('tools of the service stay beside functions', () => {
    const tools = [{ type: 'google_search' }]
    const request = decodeRequest({ model: 'm', input: 'Hi', tools })
    const { tools: written } = encoded({ ...request, tools: [weather] })
    expect(written).toMatchObject([{ type: 'function', name: 'get_weather' }, ...tools])
  })

  test.for([
    [{ type: 'text', mime_type: 'application/json' }, { type: 'json' }],
    [
      [{ type: 'text', mime_type: 'application/json', schema: { type: 'object' } }],
      { type: 'json-schema', schema: { type: 'object' } },
    ],
  ] as const)('the format %j', ([written, format]) => {
    const body = { model: 'm', input: 'Hi', response_format: written as JsonValue }
    expect(decodeRequest(body).responseFormat).toEqual(format)
  })

  test('a format that nobody else has comes back as it was', () => {
    const body = { model: 'm', input: 'Hi', response_format: [{ type: 'image' }] }
    expect(encoded(decodeRequest(body))['response_format']).toEqual([{ type: 'image' }])
  })
})

describe('counts', () => {
  const usage = {
    total_tokens: 30,
    total_input_tokens: 5,
    total_output_tokens: 7,
    total_thought_tokens: 8,
    total_tool_use_tokens: 10,
    total_cached_tokens: 2,
    input_tokens_by_modality: [{ modality: 'text', tokens: 5 }],
  }
  const response = decodeResponse(reply([spoken('Yes.')], { usage }))

  test('are sums', () => {
    expect(response.usage).toEqual({
      inputTokens: 15,
      outputTokens: 15,
      totalTokens: 30,
      cacheReadTokens: 2,
      reasoningTokens: 8,
    })
  })

  test('come back as they were', () => {
    expect(encodeResponse(response)['usage']).toEqual(usage)
  })
})

test.for([
  ['cancelled', 'error'],
  ['incomplete', 'length'],
  ['budget_exceeded', 'length'],
  ['in_progress', 'stop'],
] as const)('a reply that is %s ends with %s', ([status, finishReason]) => {
  const response = decodeResponse(reply([], { status }))
  expect(response.finishReason).toBe(finishReason)
  expect(encodeResponse(response)['status']).toBe(status)
})

describe('streams', () => {
  test('are the reply that would have come whole', () => {
    const annotations = [{ type: 'url_citation', url: 'https://example.org' }]
    const events = play([
      CREATED,
      start(0, { type: 'thought' }),
      grow(0, { type: 'thought_summary', content: { type: 'text', text: 'Rain, ' } }),
      grow(0, { type: 'thought_summary', content: { type: 'text', text: 'most likely.' } }),
      grow(0, { type: 'thought_signature', signature: 'Q2lSbE1q' }),
      stop(0),
      start(1, { type: 'google_search_call', id: 's1', signature: '' }),
      grow(1, { type: 'google_search_call', arguments: { queries: ['Bergen'] } }),
      stop(1),
      start(2, { type: 'model_output' }),
      grow(2, { type: 'text', text: 'Let me ' }),
      grow(2, { type: 'text', text: 'see.' }),
      grow(2, { type: 'text_annotation_delta', annotations }),
      stop(2),
      start(3, { ...CALL, arguments: {} }),
      grow(3, { type: 'arguments_delta', arguments: '{"city": "Ber' }),
      grow(3, { type: 'arguments_delta', arguments: 'gen"}' }),
      stop(3),
      COMPLETED,
    ])
    const output = {
      type: 'model_output',
      content: [{ type: 'text', text: 'Let me see.', annotations }],
    }
    const whole = reply([THOUGHT, SEARCH[0] ?? {}, output, CALL], { usage: { total_tokens: 3 } })
    expect(events.at(-1)).toEqual({ type: 'finish', response: decodeResponse(whole) })
    expect(events.filter(({ type }) => type === 'call-delta')).toHaveLength(2)
  })

  test('may bring arguments with the beginning of a call', () => {
    const events = play([CREATED, start(0, CALL), stop(0), COMPLETED])
    expect(events).toContainEqual({
      type: 'call-delta',
      index: 0,
      argumentsDelta: '{"city":"Bergen"}',
    })
    expect(events.at(-1)).toMatchObject({
      response: { finishReason: 'tool-calls', message: { toolCalls: [{ id: 'a1' }] } },
    })
  })

  test('may end where results are waited for', () => {
    const waiting = { event_type: 'interaction.requires_action', status: 'requires_action' }
    const events = play([CREATED, start(0, CALL), stop(0), waiting])
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      response: { finishReason: 'tool-calls', message: { toolCalls: [{ id: 'a1' }] } },
    })
  })

  test('tell the signature of a call to the next client', () => {
    const events = play([CREATED, start(0, { ...CALL, signature: 'c2ln' }), stop(0), COMPLETED])
    const encoder = googleInteractions.createStreamEncoder()
    const frames = events.flatMap((event) => encoder.push(event))
    const again = play(frames.filter(isJson).map(({ data }) => JSON.parse(data))).at(-1)
    const response = again?.type === 'finish' ? again.response : undefined
    expect(response && encodeResponse(response)['steps']).toEqual([{ ...CALL, signature: 'c2ln' }])
  })

  test('do not say what the user said', () => {
    const asked = { type: 'user_input', content: [{ type: 'text', text: 'Is it cold?' }] }
    const answer = [start(1, { type: 'model_output' }), grow(1, { type: 'text', text: 'It is.' })]
    const events = play([CREATED, start(0, asked), stop(0), ...answer, stop(1), COMPLETED])
    const told = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
    expect(told).toEqual(['It is.'])
  })

  test('bring pictures, also to the next client', () => {
    const picture = { type: 'image', data: 'iVBORw0=', mime_type: 'image/png' }
    const thinking = [start(0, { type: 'thought' }), grow(0, sketch(picture)), stop(0)]
    const spoke = [start(1, { type: 'model_output' }), grow(1, { type: 'text', text: 'Look:' })]
    const events = play([CREATED, ...thinking, ...spoke, grow(1, picture), stop(1), COMPLETED])
    const output = [
      { type: 'thought', summary: [picture] },
      { type: 'model_output', content: [{ type: 'text', text: 'Look:' }, picture] },
    ]
    const last = events.at(-1)
    const response = last?.type === 'finish' ? last.response : undefined
    expect(response?.message).toEqual(decodeResponse(reply(output)).message)
    const encoder = googleInteractions.createStreamEncoder()
    const frames = events.flatMap((event) => encoder.push(event))
    const again = play(frames.filter(isJson).map(({ data }) => JSON.parse(data))).at(-1)
    expect(again).toMatchObject({ response: { message: { content: response?.message.content } } })
  })

  test('may fail', () => {
    const error = { code: 'internal', message: 'out of memory' }
    const events = play([
      CREATED,
      start(0, { type: 'model_output' }),
      grow(0, { type: 'text', text: 'It' }),
      { event_type: 'error', error },
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: { ...error, partial: { message: { content: 'It', isAborted: true } } },
    })
  })

  test('that end too soon are no reply', () => {
    const events = play([CREATED, start(0, { type: 'model_output' })])
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'truncated-stream' } })
  })
})
