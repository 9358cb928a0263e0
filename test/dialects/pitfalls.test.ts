/**
 * What goes wrong between two dialects, one test for each way that is known. The numbers are those of
 * the list that the package was built to.
 */
import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import type { Issue } from '../../src/core/issue.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import type { Message, ToolCall } from '../../src/core/model.ts'
import { allDialects, getDialect } from '../../src/dialects/registry.ts'
import { encodeHealed, heal, transcode } from '../../src/dialects/transcode.ts'
import { copilotChat } from '../../src/providers/copilot-chat.ts'
import { checkHistory } from '../../src/testing/history-check.ts'
import { call, clock, weather } from './samples.ts'

const asks: Message = { role: 'user', content: 'Is the ferry to Hiiumaa running?' }
const thanks: Message = { role: 'user', content: 'Thanks. And tomorrow?' }

function calls(...toolCalls: ToolCall[]): Message {
  return { role: 'assistant', content: '', toolCalls }
}

function answers(...results: (readonly [id: string, content: string])[]): Message {
  const toolResults = results.map(([callId, content]) => ({ callId, content }))
  return { role: 'tool', content: '', toolResults }
}

function sent(dialect: string, messages: readonly Message[], more: Partial<ChatRequest> = {}) {
  const issues: Issue[] = []
  const request = { model: 'm', messages, tools: [weather, clock], ...more }
  const { body } = encodeHealed(request, getDialect(dialect), {
    report: (issue) => issues.push(issue),
  })
  expect(checkHistory(body, dialect)).toEqual([])
  return { body, issues, codes: issues.map(({ code }) => code) }
}

/** The members of a list that are objects, wherever they are. */
function list(value: JsonValue | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : []) as JsonObject[] // tests look at nothing else
}

function idsIn(body: JsonObject): { calls: JsonValue[]; results: JsonValue[] } {
  const blocks = list(body['messages']).flatMap(({ content }) => list(content))
  return {
    calls: blocks.flatMap(({ type, id }) => (type === 'tool_use' && id ? [id] : [])),
    results: blocks.flatMap(({ tool_use_id: id }) => (id === undefined ? [] : [id])),
  }
}

const weatherCall = call('call_1', 'get_weather', { city: 'Tartu' })
const timeCall = call('call_2', 'get_time', { city: 'Tartu' })
const pair = [asks, calls(weatherCall, timeCall), answers(['call_1', 'fog'], ['call_2', '7:00'])]

describe('ids and pairs', () => {
  test('1: ids that the other dialect does not allow stay apart', () => {
    const history = [
      asks,
      calls(call('a.b', 'get_weather', {}), call('a:b', 'get_time', {})),
      answers(['a.b', 'fog'], ['a:b', '7:00']),
      thanks,
    ]
    const { body } = sent('anthropic', history)
    const ids = idsIn(body)
    expect(new Set(ids.calls).size).toBe(2)
    expect(ids.results).toEqual(ids.calls)
    expect(sent('anthropic', history).body).toEqual(body)
  })

  test('2: ids that come again in each turn are paired by their place', () => {
    const again = call('ferry:0', 'get_weather', {})
    const history = [asks, calls(again), answers(['ferry:0', 'first']), calls(again)]
    const { body } = sent('anthropic', [...history, answers(['ferry:0', 'second']), thanks])
    const ids = idsIn(body)
    expect(new Set(ids.calls).size).toBe(2)
    expect(ids.results).toEqual(ids.calls)
    const reply = {
      choices: [{ message: { tool_calls: [{ id: 'ferry:0', function: { name: 'f' } }] } }],
    }
    const { message } = getDialect('openai-chat').decodeResponse(reply, { usedIds: ['ferry:0'] })
    expect(message.toolCalls?.[0]?.id).not.toBe('ferry:0')
  })

  test('3: ids that are missing are made up, and left out again', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Hello?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'get_time', args: {} } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'get_time', response: { output: '7:00' } } }],
      },
    ]
    const chat = transcode({ contents }, { from: 'gemini', to: 'openai-chat' }) as JsonObject
    const [, asked, answered] = list(chat['messages'])
    const [id] = list(asked?.['tool_calls']).map((one) => one['id'])
    expect(id).toMatch(/^\w+$/)
    expect(answered?.['tool_call_id']).toBe(id)
    expect(getDialect('gemini').decodeRequest({ contents }).messages[1]).toMatchObject({
      toolCalls: [{ name: 'get_time' }],
    })
    expect(transcode({ contents }, { from: 'gemini', to: 'gemini' })).toMatchObject({ contents })
  })

  test('4: of the two ids of an item, the one of the call counts', () => {
    const item = {
      type: 'function_call',
      id: 'fc_9',
      call_id: 'call_9',
      name: 'f',
      arguments: '{}',
    }
    const responses = getDialect('openai-responses')
    const { message } = responses.decodeResponse({ status: 'completed', output: [item] })
    expect(message.toolCalls).toMatchObject([{ id: 'call_9' }])
    const changed = { ...message, toolCalls: [call('call_9', 'f', { other: true })] }
    const { body } = sent('openai-responses', [asks, changed, answers(['call_9', 'ok'])])
    expect(JSON.stringify(body)).not.toContain('fc_9')
  })

  test.for(['anthropic', 'bedrock', 'gemini'])('5: results are one turn, before text: %s', (id) => {
    const [question, asked] = pair
    const answered = [answers(['call_2', '7:00']), answers(['call_1', 'fog'])]
    const { body } = sent(id, [question as Message, asked as Message, ...answered, thanks])
    const { field } = getDialect(id).rules
    const turns = list(body[field])
    expect(turns).toHaveLength(3)
    const text = JSON.stringify(turns[2])
    expect(text.indexOf('fog')).toBeLessThan(text.indexOf('7:00'))
    expect(text.indexOf('7:00')).toBeLessThan(text.indexOf('Thanks'))
  })

  test('6: results behind what somebody else says move up, which is told', () => {
    const { body, codes } = sent('openai-chat', [
      asks,
      calls(weatherCall),
      thanks,
      answers(['call_1', 'fog']),
    ])
    expect(list(body['messages']).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
    expect(codes).toContain('moved-message')
  })

  test('7: a call without a result gets one that says so', () => {
    const { body, codes } = sent('anthropic', [
      asks,
      calls(weatherCall, timeCall),
      answers(['call_1', 'fog']),
      thanks,
    ])
    const results = list(list(body['messages'])[2]?.['content'])
    expect(results).toMatchObject([
      { tool_use_id: 'call_1', content: 'fog' },
      { tool_use_id: 'call_2', is_error: true },
      { type: 'text' },
    ])
    expect(codes).toContain('missing-result')
  })

  test('8: a result without a call becomes text of the user, which is reported', () => {
    const { body, codes } = sent('openai-chat', [asks, answers(['ghost', 'boo']), thanks])
    const messages = list(body['messages'])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'user'])
    expect(messages[1]?.['content']).toContain('boo')
    expect(codes).toContain('orphan-result')
  })

  test('9: of two results for a call the last counts', () => {
    const { body } = sent('openai-chat', [
      asks,
      calls(weatherCall),
      answers(['call_1', 'old']),
      answers(['call_1', 'new']),
    ])
    expect(list(body['messages']).filter(({ role }) => role === 'tool')).toMatchObject([
      { content: 'new' },
    ])
  })

  test('10: calls without an id, or with the same one, are not lost', () => {
    const twins = [
      call('x', 'get_weather', { city: 'Riga' }),
      call('x', 'get_weather', { city: 'Vilnius' }),
    ]
    const { body } = sent('anthropic', [
      asks,
      calls(call('', 'get_time', {}), ...twins),
      answers(['x', 'rain'], ['x', 'sun']),
      thanks,
    ])
    const ids = idsIn(body)
    expect(new Set(ids.calls).size).toBe(3)
    expect([...ids.results].sort()).toEqual([...ids.calls].sort())
  })

  test.for(allDialects.map(({ id }) => id))('11: a turn that broke off is left out: %s', (id) => {
    const broken: Message = { ...calls(weatherCall), content: 'I will lo', isAborted: true }
    const { body, codes } = sent(id, [asks, broken, answers(['call_1', 'fog']), thanks])
    const text = JSON.stringify(body)
    expect(text).not.toMatch(/I will lo|fog/)
    expect(text).toContain('And tomorrow?')
    expect(codes).toContain('moved-message')
  })

  test('11: a turn that broke off does not take the results of the one before', () => {
    const again = call('f:0', 'get_time', {})
    const broken: Message = { ...calls(again), isAborted: true }
    const history = [asks, calls(again), answers(['f:0', '7:00']), broken, answers(['f:0', 'late'])]
    const { body } = sent('openai-chat', [...history, thanks])
    expect(list(body['messages']).filter(({ role }) => role === 'tool')).toMatchObject([
      { content: '7:00' },
    ])
  })

  test.for(allDialects.map(({ id }) => id))('11: a stream that breaks off says so: %s', (id) => {
    const { createStreamEncoder, createStreamDecoder } = getDialect(id)
    const [encoder, decoder] = [createStreamEncoder(), createStreamDecoder()]
    const frames = [
      ...encoder.push({ type: 'start', id: 'r', model: 'm' }),
      ...encoder.push({ type: 'text-delta', text: 'I will lo' }),
    ]
    for (const frame of frames) decoder.push(frame)
    expect(decoder.end().at(-1)).toMatchObject({
      error: { partial: { message: { content: 'I will lo', isAborted: true } } },
    })
  })

  test('11: a call of which not all arrived is one of them', () => {
    const cut = {
      type: 'function_call',
      call_id: 'c',
      name: 'f',
      arguments: '{"a',
      status: 'incomplete',
    }
    const input = [{ role: 'user', content: 'Go.' }, cut, { role: 'user', content: 'Again.' }]
    const healed = heal(input, 'openai-responses')
    expect(JSON.stringify(healed)).not.toContain('function_call')
  })
})

describe('roles and turns', () => {
  const later: Message = { role: 'system', content: 'Now in Estonian.' }
  const history: Message[] = [asks, { role: 'assistant', content: 'Yes.' }, thanks, later]

  test.for(['openai-chat', 'openai-responses', 'mistral', 'cohere', 'ollama'])(
    '12: a system message in the middle stays where it is: %s',
    (id) => {
      const { body } = sent(id, history)
      const last = list(body[getDialect(id).rules.field]).at(-1)
      expect(last).toMatchObject({ role: 'system' })
    },
  )

  test.for(['anthropic', 'bedrock', 'gemini'])(
    '12: or becomes text of the user, in its place: %s',
    (id) => {
      const { body, issues } = sent(id, history)
      expect(JSON.stringify(body)).toMatch(/tomorrow\?.*<system>Now in Estonian\.<\/system>/)
      expect(issues.map(({ message }) => message).join()).toContain('system message')
    },
  )

  test.for(allDialects.map(({ id }) => id))('13: a developer is the system: %s', (id) => {
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hello?' },
    ]
    const body = transcode({ model: 'm', messages }, { from: 'openai-chat', to: id }) as JsonObject
    const isOwn = id === 'openai-chat'
    expect(JSON.stringify(body).includes('developer')).toBe(isOwn)
    expect(getDialect(id).decodeRequest(body).messages[0]).toMatchObject({
      role: 'system',
      content: 'Be brief.',
    })
  })

  test.for(allDialects.map(({ id }) => id))('14: nobody says nothing: %s', (id) => {
    const empty: Message = { role: 'assistant', content: '' }
    const { body } = sent(id, [
      asks,
      empty,
      { role: 'user', content: ' ' },
      ...pair.slice(1),
      thanks,
    ])
    const told = JSON.stringify(body[getDialect(id).rules.field])
    expect(told).not.toMatch(/"(?:text|content)":""(?!.*tool)/)
  })

  test.for(['anthropic', 'bedrock', 'gemini', 'mistral'])(
    '15: the user begins, and takes turns: %s',
    (id) => {
      const { body } = sent(id, [{ role: 'assistant', content: 'Welcome.' }, asks, thanks])
      const roles = list(body[getDialect(id).rules.field]).map(({ role }) => role)
      expect(roles[0]).toBe('user')
      if (id !== 'anthropic') expect(roles).toHaveLength(3)
    },
  )

  test('16: what came in an order stays in it', () => {
    const content = [
      { type: 'text', text: 'First the weather.' },
      { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
      { type: 'tool_use', id: 'toolu_2', name: 'get_time', input: {} },
    ]
    const anthropic = getDialect('anthropic')
    const { message } = anthropic.decodeResponse({ type: 'message', role: 'assistant', content })
    for (const { id } of allDialects) {
      const { body } = sent(id, [asks, message, answers(['toolu_1', 'a'], ['toolu_2', 'b'])])
      const text = JSON.stringify(body[getDialect(id).rules.field])
      const places = ['First', 'get_weather', 'get_time'].map((word) => text.indexOf(word))
      expect(places).toEqual(places.toSorted((one, other) => one - other))
    }
  })
})

describe('reasoning', () => {
  const thinking = { type: 'thinking', thinking: 'Ferries…', signature: 'EqQB' }
  const turn = {
    role: 'assistant',
    content: [thinking, { type: 'tool_use', id: 'toolu_1', name: 'get_time', input: {} }],
  }
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: '7:00' }
  const messages = [{ role: 'user', content: 'When?' }, turn, { role: 'user', content: [result] }]
  const request = { model: 'claude-sonnet-5', max_tokens: 9, messages }

  test('17: goes back as it was signed, and to nobody else', () => {
    const same = transcode(request, { from: 'anthropic', to: 'anthropic' }) as JsonObject
    expect(list(same['messages'])[1]).toEqual(turn)
    for (const to of ['openai-responses', 'bedrock', 'gemini']) {
      const other = JSON.stringify(transcode(request, { from: 'anthropic', to }))
      expect(other).not.toContain('EqQB')
    }
  })

  test('18: stands in for itself where it must be there', () => {
    const foreign = [asks, calls(weatherCall), answers(['call_1', 'fog'])]
    const quirks = { reasoningField: 'reasoning_content', reasoningRequired: true } as const
    const chat = getDialect('openai-chat').encodeRequest(
      { model: 'm', messages: foreign },
      { quirks },
    )
    expect(list(chat['messages'])[1]).toMatchObject({ reasoning_content: ' ' })
    const gemini = sent('gemini', foreign, { model: 'gemini-3-pro' })
    expect(JSON.stringify(gemini.body)).toContain('skip_thought_signature_validator')
  })

  test('18: is switched off where a turn that goes on has none', () => {
    const extra = { anthropic: { thinking: { type: 'enabled', budget_tokens: 2000 } } }
    const foreign = [asks, calls(weatherCall), answers(['call_1', 'fog'])]
    const { body, codes } = sent('anthropic', foreign, { extra })
    expect(body).not.toHaveProperty('thinking')
    expect(codes).toContain('not-expressible')
    // The turn is over: what comes next begins a new one.
    const over = [...foreign, { role: 'assistant', content: 'It runs.' } as const, thanks]
    expect(sent('anthropic', over, { extra }).body).toHaveProperty('thinking')
    const own = getDialect('anthropic').decodeRequest({ ...request, ...extra.anthropic })
    expect(encodeHealed(own, getDialect('anthropic')).body).toHaveProperty('thinking')
  })
})

describe('arguments and results', () => {
  function wireCall(text: string): JsonObject {
    const tool_calls = [
      { id: 'c1', type: 'function', function: { name: 'get_time', arguments: text } },
    ]
    const tool = { role: 'tool', tool_call_id: 'c1', content: 'ok' }
    const user = { role: 'user', content: 'Go.' }
    return { model: 'm', messages: [user, { role: 'assistant', content: null, tool_calls }, tool] }
  }

  test('19: arguments that are no JSON stay what they are', () => {
    const body = wireCall('{"city": "Tal')
    const chat = JSON.stringify(transcode(body, { from: 'openai-chat', to: 'openai-responses' }))
    expect(chat).toContain(JSON.stringify('{"city": "Tal'))
    const anthropic = transcode(body, { from: 'openai-chat', to: 'anthropic' }) as JsonObject
    expect(JSON.stringify(anthropic)).toContain('{"rawInvalidInput":"{\\"city\\": \\"Tal"}')
  })

  test('20: large numbers, order and spelling of arguments survive', () => {
    const text = '{ "id": 12345678901234567890, "b": 1.0, "a": 2 }'
    const there = transcode(wireCall(text), { from: 'openai-chat', to: 'openai-responses' })
    const back = transcode(there, { from: 'openai-responses', to: 'openai-chat' }) as JsonObject
    expect(JSON.stringify(back)).toContain(JSON.stringify(text))
  })

  const failed: Message = {
    role: 'tool',
    content: '',
    toolResults: [
      { callId: 'call_1', content: 'no such harbour', isError: true, errorCode: 'ENOENT' },
    ],
  }

  test.for(['openai-chat', 'openai-responses', 'mistral', 'cohere', 'ollama'])(
    '21: a failure is told in words where there is no flag: %s',
    (id) => {
      const { body } = sent(id, [asks, calls(weatherCall), failed])
      expect(JSON.stringify(body)).toContain('[ERROR:ENOENT] no such harbour')
      const { messages } = getDialect(id).decodeRequest(body)
      expect(messages.at(-1)?.toolResults).toMatchObject([{ isError: true, errorCode: 'ENOENT' }])
    },
  )

  test.for<[string, JsonObject]>([
    ['anthropic', { is_error: true }],
    ['bedrock', { status: 'error' }],
    ['gemini', { error: 'no such harbour' }],
  ])('22: and with the flag where there is one: %s', ([id, flag]) => {
    const { body } = sent(id, [asks, calls(weatherCall), failed])
    const text = JSON.stringify(body)
    expect(text).toContain(JSON.stringify(flag).slice(1, id === 'gemini' ? 8 : -1))
    expect(getDialect(id).decodeRequest(body).messages.at(-1)?.toolResults).toMatchObject([
      { isError: true },
    ])
    // What only looks like a failure is none.
    const json: Message = answers(['call_1', '{"error": null}'])
    const fine = getDialect(id).decodeRequest(sent(id, [asks, calls(weatherCall), json]).body)
    expect(fine.messages.at(-1)?.toolResults?.[0]?.isError ?? false).toBe(false)
  })

  test('23: images in results follow the whole run of them', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const
    const results: Message = {
      role: 'tool',
      content: '',
      toolResults: [
        { callId: 'call_1', content: [image] },
        { callId: 'call_2', content: '7:00' },
      ],
    }
    const { body } = sent('openai-chat', [asks, calls(weatherCall, timeCall), results])
    expect(list(body['messages']).map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'tool', 'user'],
    ])
    expect(JSON.stringify(list(body['messages']).at(-1))).toContain('image_url')
  })

  test.for(['gemini', 'ollama', 'mistral'])('24: a result has the name of its call: %s', (id) => {
    const { body } = sent(id, pair)
    const { messages } = getDialect(id).decodeRequest(body)
    const names = messages.flatMap(({ toolResults = [] }) => toolResults.map(({ name }) => name))
    expect(names).toEqual(['get_weather', 'get_time'])
  })
})

describe('tools', () => {
  test.for(['anthropic', 'bedrock'])(
    '25: are declared when only the history has them: %s',
    (id) => {
      const { body, codes } = sent(id, [...pair, thanks], { tools: [] })
      expect(JSON.stringify(body['tools'] ?? body['toolConfig'])).toContain('get_weather')
      expect(codes).toContain('not-expressible')
    },
  )

  test('26: of the history that are no longer offered are renamed like the others', () => {
    const old = call('call_1', 'files/read me', {})
    const odd = { ...clock, name: 'files.read me' }
    const history = [asks, calls(old), answers(['call_1', 'ok']), thanks]
    const { body } = sent('openai-chat', history, { tools: [odd] })
    const declared = /"tools":.*?"name":"([^"]*)"/.exec(JSON.stringify(body))?.[1]
    const called = /"tool_calls":.*?"name":"([^"]*)"/.exec(JSON.stringify(body))?.[1]
    for (const name of [declared, called]) expect(name).toMatch(/^[\w-]{1,64}$/)
    expect(called).not.toBe(declared)
  })

  test('27: marks for the cache become those of the other dialect, or are told', () => {
    const model = 'eu.anthropic.claude-sonnet-5-v1:0'
    const marked = sent('anthropic', [...pair, thanks], { model, cache: true })
    const request = getDialect('anthropic').decodeRequest(marked.body)
    expect(request.cache).toBe(true)
    const bedrock = encodeHealed(request, getDialect('bedrock')).body
    expect(JSON.stringify(bedrock)).toContain('cachePoint')
    expect(JSON.stringify(bedrock)).not.toContain('cache_control')
    expect(sent('cohere', pair, { cache: true }).codes).toContain('not-expressible')
  })

  test('28: are strict in the way of the dialect, or not', () => {
    const tools = [{ ...clock, strict: true }]
    expect(JSON.stringify(sent('gemini', [asks], { tools }).body)).toContain('VALIDATED')
    expect(sent('cohere', [asks], { tools }).body['strict_tools']).toBe(true)
    const ollama = sent('ollama', [asks], { tools })
    expect(JSON.stringify(ollama.body)).not.toContain('strict')
    expect(ollama.codes).toContain('not-expressible')
  })

  test.for(allDialects.map(({ id }) => id))('29: take an object, whatever was said: %s', (id) => {
    const union = {
      anyOf: [
        { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
      ],
    }
    const schemas = [true, { type: 'array', items: { type: 'string' } }, union]
    const tools = schemas.map((inputSchema, at) => ({ name: `tool_${at}`, inputSchema }))
    const { body, codes } = sent(id, [asks], { tools })
    const back = getDialect(id).decodeRequest(body).tools ?? []
    expect(back.map(({ inputSchema }) => inputSchema)).toMatchObject([
      {},
      { type: 'object', properties: { value: { type: 'array' } } },
      { type: 'object', properties: { city: {}, port: {} } },
    ])
    expect(codes).toContain('not-expressible')
  })

  test.for(allDialects.filter(({ id }) => id !== 'gemini').map(({ id }) => id))(
    '30: keep the definitions in their schemas: %s',
    (id) => {
      const inputSchema = {
        type: 'object',
        properties: { place: { $ref: '#/$defs/place' } },
        $defs: { place: { type: 'string' } },
        additionalProperties: false,
      }
      const { body } = sent(id, [asks], { tools: [{ name: 'find', inputSchema }] })
      expect(getDialect(id).decodeRequest(body).tools?.[0]?.inputSchema).toEqual(inputSchema)
    },
  )

  test('30: or put them in their place', () => {
    const place = { type: 'string', description: 'a place' }
    const inputSchema = {
      type: 'object',
      properties: { place: { $ref: '#/$defs/place' } },
      $defs: { place },
    }
    const { body } = sent('gemini', [asks], { tools: [{ name: 'find', inputSchema }] })
    expect(JSON.stringify(body)).toContain('a place')
    expect(JSON.stringify(body)).not.toContain('$ref')
  })

  test('31: that take text are functions with one parameter elsewhere, and themselves again', () => {
    const custom = { type: 'custom', custom: { name: 'run_sql', description: 'Runs it' } }
    const asked = { id: 'c1', type: 'custom', custom: { name: 'run_sql', input: 'select 1' } }
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [asked] },
      { role: 'tool', tool_call_id: 'c1', content: '1' },
    ]
    const body = { model: 'm', messages, tools: [custom] }
    const there = transcode(body, { from: 'openai-chat', to: 'anthropic' }) as JsonObject
    expect(list(there['tools'])).toMatchObject([
      { name: 'run_sql', input_schema: { properties: { input: { type: 'string' } } } },
    ])
    expect(JSON.stringify(there)).toContain('{"input":"select 1"}')
    const same = transcode(body, { from: 'openai-chat', to: 'openai-chat' })
    expect(same).toMatchObject({ tools: [custom], messages: [{}, { tool_calls: [asked] }, {}] })
  })

  test('32: that the provider runs itself are no calls', () => {
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'ferry' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'text', text: 'It runs.' },
    ]
    const anthropic = getDialect('anthropic')
    const body = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn' }
    const { message, finishReason } = anthropic.decodeResponse(body)
    expect(message.toolCalls ?? []).toEqual([])
    expect(finishReason).toBe('stop')
    expect(list(sent('anthropic', [asks, message, thanks]).body['messages'])[1]).toEqual({
      role: 'assistant',
      content,
    })
    expect(JSON.stringify(sent('openai-chat', [asks, message, thanks]).body)).not.toContain(
      'srvtoolu',
    )
  })
})

describe('replies and text', () => {
  function finishOf(reason: string, tool_calls: JsonObject[]): string {
    const message = { role: 'assistant', content: null, tool_calls }
    const body = { choices: [{ index: 0, message, finish_reason: reason }] }
    return getDialect('openai-chat').decodeResponse(body).finishReason
  }
  const made = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }

  test('33: the calls say why a reply ended, but for one that was cut off', () => {
    expect(finishOf('stop', [made])).toBe('tool-calls')
    expect(finishOf('', [made])).toBe('tool-calls')
    expect(finishOf('tool_calls', [])).toBe('stop')
    expect(finishOf('length', [made])).toBe('length')
  })

  test.for(allDialects.map(({ id }) => id))(
    '34: half characters and NUL do not go out: %s',
    (id) => {
      const odd = 'half \ud83d of \u0000 it'
      const { body } = sent(id, [
        { role: 'user', content: odd },
        calls(call('call_1', 'get_time', { city: odd })),
        answers(['call_1', odd]),
      ])
      expect(JSON.stringify(body)).not.toMatch(/\\ud83d|\\u0000/)
      expect(JSON.stringify(body)).toContain('half \ufffd of \ufffd it')
    },
  )

  test('34: but what is signed stays as it is', () => {
    const thinking = { type: 'thinking', thinking: 'half \ud83d', signature: 'EqQB' }
    const messages = [
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: [thinking, { type: 'text', text: 'Yes.' }] },
      { role: 'user', content: 'And?' },
    ]
    const request = { model: 'claude-sonnet-5', max_tokens: 9, messages }
    const same = transcode(request, { from: 'anthropic', to: 'anthropic' }) as JsonObject
    expect(list(same['messages'])[1]).toEqual(messages[1])
  })

  test('35: text beside calls is the plan of Cohere', () => {
    const [question, asked, answered] = pair as [Message, Message, Message]
    const { body } = sent('cohere', [question, { ...asked, content: 'I will look.' }, answered])
    const [, assistant] = list(body['messages'])
    expect(assistant).toMatchObject({ tool_plan: 'I will look.' })
    expect(assistant).not.toHaveProperty('content')
  })

  const choices = [
    { index: 0, message: { role: 'assistant', content: 'I will look.' }, finish_reason: 'stop' },
    { index: 1, message: { role: 'assistant', tool_calls: [made] }, finish_reason: 'tool_calls' },
  ]

  test('36: other choices are other answers, but for Copilot, where they are one', () => {
    const { message } = getDialect('openai-chat').decodeResponse({ choices })
    expect(message).toMatchObject({ content: 'I will look.' })
    expect(message.toolCalls ?? []).toEqual([])
    expect(copilotChat.decodeResponse({ choices })).toMatchObject({
      message: { content: 'I will look.', toolCalls: [{ id: 'c1', name: 'f' }] },
      finishReason: 'tool-calls',
    })
  })

  test('36: also in a stream', () => {
    const decoder = copilotChat.createStreamDecoder()
    const frames = [
      { index: 0, delta: { content: 'I will look.' }, finish_reason: 'stop' },
      { index: 1, delta: { tool_calls: [{ index: 0, ...made }] }, finish_reason: null },
      { index: 1, delta: {}, finish_reason: 'tool_calls' },
    ].map((choice) => ({ data: JSON.stringify({ choices: [choice] }) }))
    const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      response: {
        message: { content: 'I will look.', toolCalls: [{ id: 'c1' }] },
        finishReason: 'tool-calls',
      },
    })
  })
})
