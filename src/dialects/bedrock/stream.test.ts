import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatResponse } from '../../core/chat.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { bedrock } from '../bedrock.ts'
import { createEventStreamReader, writeEventStreamFrame } from './event-stream.ts'

type Named = readonly [event: string, data: JsonObject]

function played(frames: readonly Named[]): ChatEvent[] {
  const decoder = bedrock.createStreamDecoder()
  const told = frames.flatMap(([event, data]) =>
    decoder.push({ event, data: JSON.stringify(data) }),
  )
  return [...told, ...decoder.end()]
}

function responseOf(events: readonly ChatEvent[]): ChatResponse | undefined {
  const last = events.at(-1)
  return last?.type === 'finish' ? last.response : undefined
}

const begin: Named = ['messageStart', { role: 'assistant', p: 'abc' }]
const use = (index: number, toolUse: JsonObject): Named => [
  'contentBlockStart',
  { contentBlockIndex: index, start: { toolUse } },
]
const delta = (index: number, fields: JsonObject): Named => [
  'contentBlockDelta',
  { contentBlockIndex: index, delta: fields, p: 'abcdef' },
]
const close = (index: number): Named => ['contentBlockStop', { contentBlockIndex: index }]
const stop = (stopReason: string): Named => ['messageStop', { stopReason }]
const counts: Named = [
  'metadata',
  {
    usage: { inputTokens: 5, outputTokens: 7, totalTokens: 15, cacheReadInputTokens: 3 },
    metrics: { latencyMs: 40 },
    p: 'ab',
  },
]

const whole: readonly Named[] = [
  begin,
  delta(0, { reasoningContent: { text: 'Hm' } }),
  delta(0, { reasoningContent: { text: '.' } }),
  delta(0, { reasoningContent: { signature: 'c2ln' } }),
  close(0),
  delta(1, { text: 'I ' }),
  delta(1, { text: 'look.' }),
  close(1),
  use(2, { toolUseId: 't1', name: 'tide' }),
  delta(2, { toolUse: { input: '{"at": ' } }),
  delta(2, { toolUse: { input: '"Brest"}' } }),
  close(2),
  use(3, { toolUseId: 't2', name: 'moon' }),
  close(3),
  stop('tool_use'),
  counts,
]
const body = {
  output: {
    message: {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
        { text: 'I look.' },
        { toolUse: { toolUseId: 't1', name: 'tide', input: { at: 'Brest' } } },
        { toolUse: { toolUseId: 't2', name: 'moon', input: {} } },
      ],
    },
  },
  stopReason: 'tool_use',
  usage: { inputTokens: 5, outputTokens: 7, totalTokens: 15, cacheReadInputTokens: 3 },
  metrics: { latencyMs: 40 },
}

describe('a reply in pieces', () => {
  test('is the reply that it would have been whole', () => {
    const response = responseOf(played(whole))
    const expected = bedrock.decodeResponse(body)
    const plain = response?.message.toolCalls?.map(({ rawArguments: _, ...call }) => call)
    expect(response).toEqual({
      ...expected,
      message: { ...expected.message, toolCalls: response?.message.toolCalls },
    })
    expect(plain).toEqual(expected.message.toolCalls)
    expect(response?.usage).toEqual({
      ...{ inputTokens: 8, cacheReadTokens: 3, outputTokens: 7, totalTokens: 15 },
    })
  })

  test('comes out as it was', () => {
    const response = responseOf(played(whole))
    expect(response && bedrock.encodeResponse(response)).toEqual(body)
  })

  test('may have the name of the event as its only key, and counts before the end', () => {
    const decoder = bedrock.createStreamDecoder()
    const frames = [delta(0, { text: 'Hi' }), counts, stop('end_turn')]
    const events = frames.flatMap(([event, data]) =>
      decoder.push({ data: JSON.stringify({ [event]: data }) }),
    )
    const response = responseOf([...events, ...decoder.end()])
    expect(response).toMatchObject({ message: { content: 'Hi' }, usage: { outputTokens: 7 } })
  })

  test('passes through binary frames', () => {
    const encoder = bedrock.createStreamEncoder()
    const reader = createEventStreamReader()
    const frames = played(whole).flatMap((event) => encoder.push(event))
    const bytes = frames.map(({ event = '', data }) => writeEventStreamFrame(event, data))
    const read = bytes.flatMap((part) => reader.push(part))
    expect(read).toEqual(frames)
  })
})

test('tools that the service runs are not for us to answer, and go back', () => {
  const own = { toolUseId: 's1', name: 'nova_grounding', type: 'server_tool_use' }
  const events = played([
    ...[begin, use(0, own), delta(0, { toolUse: { input: '{"q":1}' } }), close(0)],
    ...[delta(1, { text: 'Found.' }), close(1), stop('end_turn')],
  ])
  const response = responseOf(events)
  expect(events.some(({ type }) => type === 'call-start')).toBe(false)
  expect(response?.message.toolCalls).toBeUndefined()
  expect(response && bedrock.encodeResponse(response)).toMatchObject({
    output: {
      message: { content: [{ toolUse: { ...own, input: { q: 1 } } }, { text: 'Found.' }] },
    },
  })
})

describe('what only the service has', () => {
  const found = { toolUseId: 's1', type: 'nova_grounding_result', status: 'success' }
  const source = { title: 'Tides', location: { web: { url: 'https://tides.example' } } }
  const picture = { format: 'png', source: { bytes: 'iVBORw0=' } }
  const start = (index: number, fields: JsonObject): Named => [
    'contentBlockStart',
    { contentBlockIndex: index, start: fields },
  ]
  const frames: readonly Named[] = [
    ...[begin, use(0, { toolUseId: 's1', name: 'nova_grounding', type: 'server_tool_use' })],
    ...[delta(0, { toolUse: { input: '{"q":1}' } }), close(0), start(1, { toolResult: found })],
    ...[delta(1, { toolResult: [{ json: { a: 1 } }] }), close(1)],
    ...[delta(2, { text: 'It is ' }), close(2)],
    ...[delta(3, { text: 'low.' }), delta(3, { citation: source }), close(3)],
    ...[start(4, { image: { format: 'png' } }), delta(4, { image: { source: picture.source } })],
    ...[close(4), stop('end_turn')],
  ]
  const content = [
    {
      toolUse: {
        ...{ toolUseId: 's1', name: 'nova_grounding', type: 'server_tool_use' },
        input: { q: 1 },
      },
    },
    { toolResult: { ...found, content: [{ json: { a: 1 } }] } },
    { text: 'It is ' },
    { citationsContent: { content: [{ text: 'low.' }], citations: [source] } },
    { image: picture },
  ]

  test('is put together as it would have come whole', () => {
    const response = responseOf(played(frames))
    const expected = { output: { message: { role: 'assistant', content } }, stopReason: 'end_turn' }
    expect(response).toEqual(bedrock.decodeResponse(expected))
    expect(response && bedrock.encodeResponse(response)).toEqual(expected)
  })

  test('words that are cited are words', () => {
    const output = { message: { role: 'assistant', content } }
    expect(bedrock.decodeResponse({ output }).message.content).toBe('It is \nlow.')
  })

  test('is told again', () => {
    const encoder = bedrock.createStreamEncoder()
    const told = played(frames).flatMap((event) => encoder.push(event))
    const again = responseOf(played(told.map(({ event = '', data }) => [event, JSON.parse(data)])))
    const kept = again?.message.extra?.['bedrock']?.['content']
    expect(kept).toEqual(expect.arrayContaining([content[0], content[1], content[4]]))
  })
})

test('the total is that of the service', () => {
  const usage = { inputTokens: 4, outputTokens: 30, totalTokens: 34, cacheReadInputTokens: 2 }
  const response = bedrock.decodeResponse({ ...body, usage })
  expect(response.usage).toMatchObject({ inputTokens: 6, outputTokens: 30, totalTokens: 34 })
  expect(bedrock.encodeResponse(response)['usage']).toEqual(usage)
})

describe('faults', () => {
  test.for<[string, JsonObject, object]>([
    ['throttlingException', { message: 'Slow' }, { message: 'Slow', status: 429 }],
    ['ModelStreamErrorException', { message: 'Broke', originalStatusCode: 503 }, { status: 503 }],
    ['validationException', {}, { status: 400 }],
    ['error', { code: 'damaged-stream', message: 'x' }, { code: 'damaged-stream' }],
  ])('%s', ([event, data, error]) => {
    const last = played([begin, delta(0, { text: 'Hi' }), [event, data]]).at(-1)
    expect(last).toMatchObject({ type: 'error', error: { ...error, partial: {} } })
  })

  test('calls that were cut off are reported, not made', () => {
    const events = played([
      ...[use(0, { toolUseId: 't1', name: 'tide' }), delta(0, { toolUse: { input: '{"a' } })],
      stop('max_tokens'),
    ])
    expect(events.map(({ type }) => type)).toContain('call-abort')
    expect(responseOf(events)).toMatchObject({
      finishReason: 'length',
      issues: [{ name: 'tide' }],
    })
  })

  test('bodies that are no reply', () => {
    for (const other of [{ message: 'Denied' }, null, 'no JSON', { output: {} }]) {
      expect(bedrock.decodeResponse(other).finishReason).toBe('error')
    }
  })
})

test('the parts of a conversation by themselves', () => {
  const result = { callId: 't1', content: 'low' }
  const block = { toolResult: { toolUseId: 't1', content: [{ text: 'low' }] } }
  expect(bedrock.formatToolResults([result])).toEqual([{ role: 'user', content: [block] }])
  expect(bedrock.formatToolResults([])).toEqual([])
  expect(
    bedrock.formatTools([{ name: 'tide', inputSchema: { type: 'object' } }], { cache: true }),
  ).toEqual([
    { toolSpec: { name: 'tide', inputSchema: { json: { type: 'object' } } } },
    { cachePoint: { type: 'default' } },
  ])
  expect(bedrock.formatAssistantMessage(body, { shape: 'native' })).toEqual(body.output.message)
  expect(bedrock.parseToolCalls(body)).toMatchObject([{ id: 't1' }, { id: 't2', arguments: '{}' }])
})
