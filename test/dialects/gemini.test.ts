/** What is special about Gemini: signatures, ids that are missing, arguments in pieces. */
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest } from '../../src/core/chat.ts'
import type { Issue } from '../../src/core/issue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { gemini } from '../../src/dialects/gemini.ts'
import { objectsIn } from '../../src/dialects/history-call.ts'
import { encodeHealed } from '../../src/dialects/transcode.ts'
import { call, clock, weather } from './samples.ts'

const SIGNED = 'EpEgCo4g=='

function reply(parts: JsonObject[], rest: JsonObject = {}): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    ...rest,
  }
}

function play(chunks: readonly object[]): ChatEvent[] {
  const decoder = gemini.createStreamDecoder({ ids: 'sequential' })
  const frames = chunks.map((chunk) => ({ data: JSON.stringify(chunk) }))
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function piece(part: JsonObject, rest: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { role: 'model', parts: [part] }, ...rest }] }
}

function encoded(request: Partial<ChatRequest>): JsonObject & { contents: JsonObject[] } {
  const body = gemini.encodeRequest({ model: 'gemini-3-pro', messages: [], ...request })
  return body as JsonObject & { contents: JsonObject[] }
}

describe('signatures', () => {
  const parts = [
    { text: 'Counting.', thought: true },
    { functionCall: { name: 'get_weather', args: { city: 'Bergen' } }, thoughtSignature: SIGNED },
    { functionCall: { name: 'get_time', args: { city: 'Bergen' } } },
    { text: '', thoughtSignature: 'AAAA' },
  ]
  const { message } = gemini.decodeResponse(reply(parts))

  test('come back on the parts they came with', () => {
    expect(encoded({ messages: [message] }).contents).toEqual([{ role: 'model', parts }])
  })

  test('go with the call when the turn was changed', () => {
    const changed = { ...message, content: 'Well.' }
    expect(encoded({ messages: [changed] }).contents[0]?.['parts']).toMatchObject([
      { text: 'Well.' },
      { thoughtSignature: SIGNED },
      { functionCall: { name: 'get_time' } },
    ])
  })

  test('of foreign calls are stood in for, once a turn and not for old models', () => {
    const foreign = {
      role: 'assistant' as const,
      content: '',
      toolCalls: [call('a', 'get_weather', {}), call('b', 'get_time', {})],
    }
    const signatures = (model: string): unknown[] => {
      const [turn] = encoded({ model, messages: [foreign] }).contents
      return objectsIn(turn?.['parts']).map((part) => part['thoughtSignature'])
    }
    expect(signatures('gemini-3-pro')).toEqual(['skip_thought_signature_validator', undefined])
    expect(signatures('gemini-2.5-flash')).toEqual([undefined, undefined])
  })

  test('survive a stream', () => {
    const events = play(
      parts.map((part) => piece(part)).concat(piece({ text: '' }, { finishReason: 'STOP' })),
    )
    const last = events.at(-1)
    const streamed = last?.type === 'finish' ? last.response.message : message
    expect(encoded({ messages: [streamed] }).contents).toEqual([{ role: 'model', parts }])
  })
})

describe('results', () => {
  const calls = [
    call('x1', 'get_weather', { city: 'Oslo' }),
    call('x2', 'get_time', { city: 'Oslo' }),
  ]
  const results = [
    { callId: 'x2', content: 'late', isError: true },
    { callId: 'x1', content: 'cold' },
  ]

  test('stand in the order of the calls, by name, before what the user says', () => {
    const { contents } = encoded({
      messages: [
        { role: 'assistant', content: '', toolCalls: calls },
        { role: 'tool', content: '', toolResults: results },
        { role: 'user', content: 'And now?' },
      ],
    })
    expect(contents[1]).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { name: 'get_weather', response: { output: 'cold' } } },
        { functionResponse: { name: 'get_time', response: { error: 'late' } } },
        { text: 'And now?' },
      ],
    })
  })

  test('have the id that the call had on the wire', () => {
    const wire = reply([{ functionCall: { id: 'w7', name: 'get_time', args: {} } }])
    const { message } = gemini.decodeResponse(wire)
    const toolResults = [{ callId: 'w7', content: '9:00' }]
    const { contents } = encoded({
      messages: [message, { role: 'tool', content: '', toolResults }],
    })
    expect(contents[1]?.['parts']).toMatchObject([
      { functionResponse: { id: 'w7', name: 'get_time' } },
    ])
  })

  test('without ids answer the calls in order', () => {
    const turn = (name: string): JsonObject => ({ functionCall: { name, args: {} } })
    const answer = (name: string, output: string): JsonObject => ({
      function_response: { name, response: { output } },
    })
    const { messages } = gemini.decodeRequest({
      contents: [
        { role: 'model', parts: [turn('a'), turn('b'), turn('a')] },
        { role: 'user', parts: [answer('a', '1'), answer('a', '2'), answer('b', '3')] },
      ],
    })
    const ids = messages[0]?.toolCalls?.map(({ id }) => id)
    expect(ids).toEqual(['call_0', 'call_1', 'call_2'])
    expect(messages[1]?.toolResults?.map(({ callId }) => callId)).toEqual([
      'call_0',
      'call_2',
      'call_1',
    ])
  })

  test('that are no text come back as they were', () => {
    const parts = [{ functionResponse: { name: 'f', response: { degrees: 4, sky: ['grey'] } } }]
    const contents = [{ role: 'user', parts }]
    const { messages } = gemini.decodeRequest({ contents })
    expect(messages[0]?.toolResults?.[0]?.content).toBe('{"degrees":4,"sky":["grey"]}')
    expect(encoded({ messages }).contents).toEqual(contents)
  })

  test('hold images, beside them for old models', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
    const content = [{ type: 'text', text: 'Seen' } as const, image]
    const messages = [
      {
        role: 'tool' as const,
        content: '',
        toolResults: [{ callId: 'x', name: 'look', content, isError: true, errorCode: 'Timeout' }],
      },
    ]
    const inlineData = { mimeType: 'image/png', data: 'AAAA' }
    const inside = encoded({ messages })
    expect(inside.contents[0]?.['parts']).toMatchObject([
      { functionResponse: { parts: [{ inlineData }] } },
    ])
    expect(gemini.decodeRequest(inside).messages[0]?.toolResults?.[0]).toMatchObject({
      content,
      errorCode: 'Timeout',
    })
    const beside = encoded({ model: 'gemini-2.0-flash', messages })
    expect(beside.contents[0]?.['parts']).toMatchObject([{ functionResponse: {} }, { inlineData }])
  })
})

describe('tools', () => {
  test.for([
    ['auto', false, { mode: 'AUTO' }],
    ['auto', true, { mode: 'VALIDATED' }],
    ['none', true, { mode: 'NONE' }],
    ['required', true, { mode: 'ANY' }],
    [{ name: 'get_time' }, false, { mode: 'ANY', allowedFunctionNames: ['get_time'] }],
    [{ names: ['get_time'] }, false, { mode: 'VALIDATED', allowedFunctionNames: ['get_time'] }],
  ] as const)('choice %j, strict %j', ([toolChoice, strict, wanted]) => {
    const body = encoded({ tools: [weather, { ...clock, strict }], toolChoice })
    expect(body['toolConfig']).toEqual({ functionCallingConfig: wanted })
    expect(body['tools']).toHaveLength(1)
    expect(gemini.encodeRequest(gemini.decodeRequest(body))['toolConfig']).toEqual(
      body['toolConfig'],
    )
  })

  test('what a schema loses is reported', () => {
    const issues: Issue[] = []
    const inputSchema = { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } }
    const tools = [{ name: 'find', inputSchema }]
    const request = { model: 'm', messages: [], tools }
    const body = gemini.encodeRequest(request, { report: (issue) => issues.push(issue) })
    expect(body['tools']).toEqual([
      {
        functionDeclarations: [
          { name: 'find', parameters: { type: 'object', properties: { id: { type: 'string' } } } },
        ],
      },
    ])
    expect(issues).toEqual([
      {
        code: 'not-expressible',
        message: 'the parameters of find at /properties/id: the format uuid is left out',
      },
    ])
    const whole = gemini.encodeRequest(request, { quirks: { jsonSchema: true } })
    expect(whole['tools']).toEqual([
      { functionDeclarations: [{ name: 'find', parametersJsonSchema: inputSchema }] },
    ])
  })

  test('the words of other clients are understood, what nobody else has is kept', () => {
    const body = {
      system_instruction: { parts: [{ text: 'Short.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } },
          ],
        },
        { googleSearch: {} },
      ],
      generation_config: { max_output_tokens: 5, thinkingConfig: { thinkingBudget: 0 } },
      safetySettings: [],
    }
    const request = gemini.decodeRequest(body)
    expect(request).toMatchObject({
      maxTokens: 5,
      messages: [
        { role: 'system', content: 'Short.' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [
        { name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
      ],
    })
    expect(gemini.encodeRequest(request)).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }],
      generationConfig: { maxOutputTokens: 5, thinkingConfig: { thinkingBudget: 0 } },
      safetySettings: [],
    })
    expect(() => gemini.decodeRequest({ messages: [] })).toThrow(TypeError)
  })
})

describe('replies', () => {
  test('thoughts are counted beside the answer', () => {
    const usageMetadata = {
      promptTokenCount: 9,
      candidatesTokenCount: 4,
      thoughtsTokenCount: 20,
      totalTokenCount: 33,
    }
    const response = gemini.decodeResponse(reply([{ text: 'Hi' }], { usageMetadata }))
    expect(response.usage).toEqual({
      inputTokens: 9,
      outputTokens: 24,
      reasoningTokens: 20,
      totalTokens: 33,
    })
    expect(gemini.encodeResponse(response)['usageMetadata']).toEqual(usageMetadata)
  })

  test("what the service's own tools read is counted beside the prompt", () => {
    const usageMetadata = {
      promptTokenCount: 9,
      toolUsePromptTokenCount: 12,
      candidatesTokenCount: 4,
      totalTokenCount: 25,
    }
    const response = gemini.decodeResponse(reply([{ text: 'Hi' }], { usageMetadata }))
    expect(response.usage).toEqual({ inputTokens: 21, outputTokens: 4, totalTokens: 25 })
    expect(gemini.encodeResponse(response)['usageMetadata']).toEqual(usageMetadata)
  })

  test.for([
    [{ promptFeedback: { blockReason: 'SAFETY' } }, 'content-filter'],
    [
      { candidates: [{ finishReason: 'SAFETY' }], promptFeedback: { safetyRatings: [] } },
      'content-filter',
    ],
    [{ candidates: [], promptFeedback: { blockReason: 'OTHER' } }, 'content-filter'],
    [{ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }] }, 'error'],
    [
      { candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason: 'RECITATION' }] },
      'content-filter',
    ],
    [{ candidates: [] }, 'stop'],
    [{ error: { code: 400 } }, 'error'],
  ] as const)('%j ends with %s', ([body, finishReason]) => {
    const response = gemini.decodeResponse(body)
    expect(response.finishReason).toBe(finishReason)
    if (response.error) return
    const again = gemini.decodeResponse(gemini.encodeResponse(response))
    expect(again.finishReason).toBe(finishReason)
  })

  test('pictures and programs of a stream are told to the next client', () => {
    const picture = { inlineData: { mimeType: 'image/png', data: 'iVBORw0=' } }
    const program = { executableCode: { language: 'PYTHON', code: 'print(1)' } }
    const events = play([
      ...[piece({ text: 'Look:' }), piece(picture), piece(program)],
      { candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 }] },
    ])
    const encoder = gemini.createStreamEncoder()
    const frames = events.flatMap((event) => encoder.push(event))
    for (const told of [events, play(frames.map(({ data }) => JSON.parse(data)))]) {
      const last = told.at(-1)
      const response = last?.type === 'finish' ? last.response : undefined
      const [candidate] = response
        ? (gemini.encodeResponse(response)['candidates'] as [unknown])
        : []
      expect(candidate).toMatchObject({ content: { parts: [{ text: 'Look:' }, picture, program] } })
    }
  })

  test('a blocked prompt ends a stream, an error breaks it', () => {
    const blocked = play([{ promptFeedback: { blockReason: 'SAFETY' } }]).at(-1)
    expect(blocked).toMatchObject({ type: 'finish', response: { finishReason: 'content-filter' } })
    const error = { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' }
    expect(play([piece({ text: 'So' }), { error }]).at(-1)).toMatchObject({
      type: 'error',
      error: { status: 503, code: 'UNAVAILABLE', partial: { message: { content: 'So' } } },
    })
  })
})

test('counts may be spelled in snake case', () => {
  const counts = { prompt_token_count: 7, candidates_token_count: 2, total_token_count: 9 }
  const { usage } = gemini.decodeResponse({ ...reply([{ text: 'Hi' }]), usage_metadata: counts })
  expect(usage).toEqual({ inputTokens: 7, outputTokens: 2, totalTokens: 9 })
})

describe('arguments in pieces', () => {
  const at = (jsonPath: string, value: JsonObject, more = false): JsonObject => ({
    functionCall: {
      partialArgs: [{ jsonPath, ...value, ...(more && { willContinue: true }) }],
      willContinue: true,
    },
  })
  const parts = [
    { functionCall: { name: 'bake', willContinue: true }, thoughtSignature: SIGNED },
    at('$.cake.layers[0].name', { stringValue: 'Spo' }, true),
    at('$.cake.layers[0].name', { stringValue: 'nge "1"' }),
    at('$.cake.layers[0].grams', { numberValue: 200 }),
    at('$.cake.layers[1].name', { stringValue: '' }, true),
    at('$.cake.layers[1].name', { stringValue: 'Cream' }),
    { functionCall: { willContinue: true } },
    at("$.cake['baked well']", { boolValue: true }),
    at('$.note', { nullValue: 'NULL_VALUE' }),
  ]
  const wanted = {
    cake: { layers: [{ name: 'Sponge "1"', grams: 200 }, { name: 'Cream' }], 'baked well': true },
    note: null,
  }

  test.for([
    ['ended', [{ functionCall: {} }]],
    ['not ended', []],
    ['ended by the next', [{ functionCall: { name: 'rest' } }]],
  ] as const)('%s', ([, end]) => {
    const all = [...parts, ...end]
    const events = play([
      ...all.map((part) => piece(part)),
      piece({ text: '' }, { finishReason: 'STOP' }),
    ])
    const text = events
      .flatMap((event) =>
        event.type === 'call-delta' && event.index === 0 ? [event.argumentsDelta] : [],
      )
      .join('')
    expect(JSON.parse(text)).toEqual(wanted)
    const last = events.at(-1)
    const calls = last?.type === 'finish' ? (last.response.message.toolCalls ?? []) : []
    expect(calls[0]).toMatchObject({
      name: 'bake',
      arguments: wanted,
      provider: { thoughtSignature: SIGNED },
    })
    expect(calls).toHaveLength(end.length === 1 && 'name' in end[0].functionCall ? 2 : 1)
  })

  test('a call with its name only is complete', () => {
    const last = play([piece({ functionCall: { name: 'rest' } }, { finishReason: 'STOP' })]).at(-1)
    expect(last).toMatchObject({
      type: 'finish',
      response: {
        finishReason: 'tool-calls',
        message: { toolCalls: [{ name: 'rest', arguments: {} }] },
      },
    })
  })

  test.for([
    ['inside a text', parts.slice(0, 2), 'STOP'],
    ['between two arguments', parts.slice(0, 3), 'MAX_TOKENS'],
    ['before the first', parts.slice(0, 1), 'MAX_TOKENS'],
  ] as const)('a call that is cut off %s is not made', ([, cut, finishReason]) => {
    const pieces = cut.map((part) => piece(part))
    const events = play([...pieces, piece({ text: '' }, { finishReason })])
    expect(events.find(({ type }) => type === 'call-abort')).toBeDefined()
    const last = events.at(-1)
    const response = last?.type === 'finish' ? last.response : undefined
    expect(response?.message).not.toHaveProperty('toolCalls')
    expect(response?.issues).toMatchObject([{ name: 'bake' }])
    // A turn in which there was nothing else is not sent again.
    const messages = [{ role: 'user', content: 'Cake?' } as const, response?.message ?? []].flat()
    expect(encodeHealed({ model: '', messages }, gemini).body['contents']).toHaveLength(1)
    // Nor is it when the connection breaks.
    const broken = play(pieces).at(-1)
    const partial = broken?.type === 'error' ? broken.error.partial : undefined
    expect(partial?.message).not.toHaveProperty('toolCalls')
  })

  test('an index out of all bounds costs nothing', () => {
    const part = at('$.list[999999999]', { stringValue: 'x' })
    const [first] = parts
    const events = play([piece(first as JsonObject), piece(part, { finishReason: 'STOP' })])
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
  })
})

test('ids that were made up are the same in events and reply', () => {
  const events = play([
    piece({ functionCall: { name: 'f', args: { a: 1 } } }, { finishReason: 'STOP' }),
  ])
  const started = events.find((event) => event.type === 'call-start')
  const last = events.at(-1)
  const id = last?.type === 'finish' ? last.response.message.toolCalls?.[0]?.id : undefined
  expect(started).toMatchObject({ id })
  expect(id).toBe('f_0')
})
