/** Calls of the server's own mean the same to a client with `rescueFetch` as they do without. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { openaiCalls } from '../support/openai-calls.ts'
import { readFrames, rescue, sse, URLS, type WireId } from './replies.ts'

const name = 'get_weather'
const argsOf = (city: string) => JSON.stringify({ city })
const chunk = (tool_calls: JsonObject[]): JsonObject => ({
  id: 'c',
  choices: [{ index: 0, delta: { tool_calls }, finish_reason: null }],
})
const end = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
const begin = (fields: JsonObject, json = ''): JsonObject => ({
  ...fields,
  type: 'function',
  function: { name, arguments: json },
})
const more = (fields: JsonObject, json: string): JsonObject => ({
  ...fields,
  function: { arguments: json },
})
const halves = (city: string) => [argsOf(city).slice(0, 6), argsOf(city).slice(6)] as const

/** Two calls, Oslo and Bergen, as various servers stream them. */
const streams: Readonly<Record<string, readonly JsonObject[][]>> = {
  'one id, two indexes': [
    [begin({ index: 0, id: 'a' }, argsOf('Oslo'))],
    [begin({ index: 1, id: 'a' }, argsOf('Bergen'))],
  ],
  'one id, two indexes, in chunks': ['Oslo', 'Bergen'].flatMap((city, index) => [
    [begin({ index, id: 'a' })],
    ...halves(city).map((json) => [more({ index }, json)]),
  ]),
  'one id, two indexes, id in every chunk': ['Oslo', 'Bergen'].flatMap((city, index) => [
    [begin({ index, id: 'a' })],
    ...halves(city).map((json) => [more({ index, id: 'a' }, json)]),
  ]),
  'one id, two indexes, in one chunk': [
    [begin({ index: 0, id: 'a' }, argsOf('Oslo')), begin({ index: 1, id: 'a' }, argsOf('Bergen'))],
  ],
  'one index, two ids': [
    [begin({ index: 0, id: 'a' }, argsOf('Oslo'))],
    [begin({ index: 0, id: 'b' }, argsOf('Bergen'))],
  ],
  'one index, no ids': [
    [begin({ index: 0 }, argsOf('Oslo'))],
    [begin({ index: 0 }, argsOf('Bergen'))],
  ],
  'one index, no ids, in chunks': ['Oslo', 'Bergen'].flatMap((city) => [
    [begin({ index: 0 }, halves(city)[0])],
    [more({ index: 0 }, halves(city)[1])],
  ]),
  'no index': [[begin({ id: 'a' }, argsOf('Oslo'))], [begin({ id: 'b' }, argsOf('Bergen'))]],
  'no index, no id': [[begin({}, argsOf('Oslo'))], [begin({}, argsOf('Bergen'))]],
  'index null': [
    [begin({ index: null, id: 'a' }, argsOf('Oslo'))],
    [begin({ index: null, id: 'b' }, argsOf('Bergen'))],
  ],
  'name in every chunk': ['Oslo', 'Bergen'].flatMap((city, index) =>
    halves(city).map((json) => [begin({ index, id: `id_${index}` }, json)]),
  ),
  'id after the name': ['Oslo', 'Bergen'].flatMap((city, index) => [
    [begin({ index })],
    ...halves(city).map((json) => [more({ index, id: `id_${index}` }, json)]),
  ]),
  'in turns': [
    [begin({ index: 0, id: 'a' }, halves('Oslo')[0])],
    [begin({ index: 1, id: 'b' }, halves('Bergen')[0])],
    [more({ index: 0 }, halves('Oslo')[1])],
    [more({ index: 1 }, halves('Bergen')[1])],
  ],
}

describe.for(Object.entries(streams))('%s', ([, deltas]) => {
  const stream = sse(...deltas.map(chunk), end, '[DONE]')

  it.for(['openai-chat', 'mistral'] as const)('%s', async (dialect) => {
    const host = dialect === 'mistral' ? 'api.mistral.ai' : 'host'
    const url = `http://${host}/v1/chat/completions`
    const got = await rescue('openai-chat', [stream], { url })
    expect(citiesIn(dialect, got)).toEqual(['Oslo', 'Bergen'])
    // The client of OpenAI joins by index alone.
    const joined = openaiCalls(readFrames(got))
    expect(joined.map((call) => JSON.parse(call.arguments))).toEqual([
      { city: 'Oslo' },
      { city: 'Bergen' },
    ])
    expect(new Set(joined.map(({ id }) => id)).size).toBe(2)
  })
})

it('two calls of a whole reply with one id get one each', async () => {
  const tool_calls = ['Oslo', 'Bergen'].map((city) => begin({ id: 'a' }, argsOf(city)))
  const message = { role: 'assistant', content: null, tool_calls }
  const body = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  const got = await rescue('openai-chat', [JSON.stringify(body)], { type: 'application/json' })
  const given: (typeof body)['choices'] = JSON.parse(got).choices
  const ids = given[0]?.message.tool_calls.map((call) => call['id'])
  expect(ids?.[0]).toBe('a')
  expect(new Set(ids).size).toBe(2)
})

const ollamaCall = (city: string, fields: JsonObject = {}): JsonObject => ({
  ...fields,
  function: { index: 0, name, arguments: { city } },
})
const line = (message: JsonObject, done = false): string =>
  `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '', ...message }, done, ...(done && { done_reason: 'stop' }) })}\n`
const item = (city: string, at: number): JsonObject => ({
  type: 'function_call',
  id: `fc_${at}`,
  call_id: 'a',
  name,
  arguments: argsOf(city),
  status: 'completed',
})

/** The same where calls come whole. */
const whole: Readonly<Partial<Record<WireId, string>>> = {
  ollama:
    line({ tool_calls: [ollamaCall('Oslo', { id: 'a' })] }) +
    line({ tool_calls: [ollamaCall('Bergen', { id: 'a' })] }) +
    line({}, true),
  'openai-responses': sse(
    { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
    ...['Oslo', 'Bergen'].flatMap((city, at) => [
      {
        type: 'response.output_item.added',
        output_index: at,
        item: { ...item(city, at), arguments: '', status: 'in_progress' },
      },
      {
        type: 'response.function_call_arguments.delta',
        output_index: at,
        item_id: `fc_${at}`,
        delta: argsOf(city),
      },
      { type: 'response.output_item.done', output_index: at, item: item(city, at) },
    ]),
    {
      type: 'response.completed',
      response: { id: 'r', status: 'completed', output: [item('Oslo', 0), item('Bergen', 1)] },
    },
  ),
  anthropic: sse(
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [] } },
    ...['Oslo', 'Bergen'].flatMap((city, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: 'a', name, input: {} },
      },
      {
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: argsOf(city) },
      },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ),
  gemini: sse({
    candidates: [
      {
        content: {
          role: 'model',
          parts: ['Oslo', 'Bergen'].map((city) => ({
            functionCall: { id: 'a', name, args: { city } },
          })),
        },
        finishReason: 'STOP',
      },
    ],
  }),
}

it.for(Object.entries(whole))('%s: one id for two calls', async ([id, stream]) => {
  const wire = id as WireId
  const type = getDialect(wire).framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
  const got = await rescue(wire, [stream], { type, url: URLS[wire] })
  expect(citiesIn(wire, got)).toEqual(['Oslo', 'Bergen'])
  expect(citiesIn(wire, got)).toEqual(citiesIn(wire, stream))
})

function citiesIn(dialect: WireId | 'mistral', stream: string): unknown[] {
  const decoder = getDialect(dialect).createStreamDecoder()
  for (const data of readFrames(stream)) decoder.push({ data: JSON.stringify(data) })
  const last = decoder.end().at(-1)
  if (last?.type !== 'finish') throw new Error(`not finished: ${stream}`)
  const { toolCalls = [] } = last.response.message
  return toolCalls.map(({ arguments: args }) => args['city'])
}
