/** A call that the server has understood and left in the text as well comes once. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { randomChunks } from '../../src/testing/chunks.ts'
import { readFrames, rescue, sse, type WireId } from './replies.ts'

const leaked = (city: string) =>
  `<tool_call>{"name": "get_weather", "arguments": {"city": "${city}"}}</tool_call>`

/** The cities that a client of the dialect would be asked about, and the text it would show. */
async function replyOf(
  wire: WireId,
  stream: string,
): Promise<{ cities: unknown[]; text: unknown }> {
  const type = getDialect(wire).framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
  const results: string[] = []
  for (let seed = 1; seed < 6; seed++) {
    const got = await rescue(wire, randomChunks(stream, random(seed)), { type })
    const decoder = getDialect(wire).createStreamDecoder()
    for (const data of readFrames(got)) decoder.push({ data: JSON.stringify(data) })
    const last = decoder.end().at(-1)
    if (last?.type !== 'finish') throw new Error(`not finished: ${got}`)
    const { message, finishReason } = last.response
    expect(finishReason).toBe('tool-calls')
    const cities = (message.toolCalls ?? []).map(({ arguments: args }) => args['city'])
    results.push(JSON.stringify({ cities, text: message.content }))
  }
  expect(new Set(results).size).toBe(1)
  return JSON.parse(results[0] ?? '')
}

describe('chunks', () => {
  const chunk = (delta: JsonObject, finish: string | null = null, index = 0): JsonObject => ({
    id: 'c',
    choices: [{ index, delta, finish_reason: finish }],
  })
  const call = (part: JsonObject, id?: string): JsonObject => ({
    tool_calls: [{ index: 0, ...(id && { id, type: 'function' }), function: part }],
  })
  const whole = (city: string) =>
    call({ name: 'get_weather', arguments: `{"city":"${city}"}` }, 'call_1')

  it('with the call in the text first', async () => {
    const stream = sse(
      chunk({ content: 'Look: ' }),
      chunk({ content: leaked('Bergen') }),
      chunk(whole('Bergen')),
      chunk({}, 'tool_calls'),
      '[DONE]',
    )
    expect(await replyOf('openai-chat', stream)).toEqual({ cities: ['Bergen'], text: 'Look: ' })
  })

  it('with the call in the text last', async () => {
    const pieces = ['{"ci', 'ty":', '"Ber', 'gen', '"}'].map((json) =>
      chunk(call({ arguments: json })),
    )
    const stream = sse(
      chunk(call({ name: 'get_weather', arguments: '' }, 'call_1')),
      ...pieces,
      chunk({ content: 'So: ' }),
      chunk({ content: leaked('Bergen') }),
      chunk({}, 'tool_calls'),
      '[DONE]',
    )
    expect(await replyOf('openai-chat', stream)).toEqual({ cities: ['Bergen'], text: 'So: ' })
  })

  it('with another call', async () => {
    const stream = sse(
      chunk({ content: leaked('Bergen') }),
      chunk(whole('Oslo')),
      chunk({}, 'tool_calls'),
      '[DONE]',
    )
    expect((await replyOf('openai-chat', stream)).cities).toEqual(['Bergen', 'Oslo'])
  })

  it('with the same call twice', async () => {
    const stream = sse(
      chunk({ content: leaked('Bergen') }),
      chunk(whole('Bergen')),
      chunk({
        tool_calls: [
          {
            index: 1,
            id: 'call_2',
            function: { name: 'get_weather', arguments: '{"city":"Bergen"}' },
          },
        ],
      }),
      chunk({}, 'tool_calls'),
      '[DONE]',
    )
    expect((await replyOf('openai-chat', stream)).cities).toEqual(['Bergen', 'Bergen'])
  })

  it('of another answer', async () => {
    const stream = sse(chunk({ content: leaked('Oslo') }, null, 1), chunk(whole('Oslo')), '[DONE]')
    const frames = readFrames(await rescue('openai-chat', [stream]))
    expect(JSON.stringify(frames).split('get_weather')).toHaveLength(3)
  })
})

it('a stream of lines', async () => {
  const line = (message: JsonObject, done = false): string =>
    `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '', ...message }, done })}\n`
  const native = { function: { name: 'get_weather', arguments: { city: 'Bergen' } } }
  const stream = [
    line({ content: 'Look: ' }),
    line({ content: leaked('Bergen') }),
    line({ tool_calls: [native] }),
    line({}, true),
  ].join('')
  expect(await replyOf('ollama', stream)).toEqual({ cities: ['Bergen'], text: 'Look: ' })
})

it('a stream of parts', async () => {
  const frame = (parts: JsonObject[], fields: JsonObject = {}): JsonObject => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...fields }],
  })
  const stream = sse(
    frame([{ text: `Look: ${leaked('Bergen')}` }]),
    frame([{ functionCall: { name: 'get_weather', args: { city: 'Bergen' } } }]),
    frame([], { finishReason: 'STOP' }),
  )
  expect(await replyOf('gemini', stream)).toEqual({ cities: ['Bergen'], text: 'Look: ' })
})

it('a stream of blocks', async () => {
  const delta = (index: number, fields: JsonObject): JsonObject => ({
    type: 'content_block_delta',
    index,
    delta: fields,
  })
  const pieces = ['{"ci', 'ty": ', '"Berg', 'en"}']
  const stream = sse(
    { type: 'message_start', message: { id: 'm', content: [], usage: {} } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
    },
    ...pieces.map((json) => delta(0, { type: 'input_json_delta', partial_json: json })),
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    delta(1, { type: 'text_delta', text: `So: ${leaked('Bergen')}` }),
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
    { type: 'message_stop' },
  )
  expect(await replyOf('anthropic', stream)).toEqual({ cities: ['Bergen'], text: 'So: ' })
})

it('a stream of items', async () => {
  const at = { item_id: 'msg_1', output_index: 1, content_index: 0 }
  const item = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'get_weather' }
  const message = { id: 'msg_1', type: 'message', role: 'assistant' }
  const call = { ...item, status: 'completed', arguments: '{"city":"Bergen"}' }
  const text = `So: ${leaked('Bergen')}`
  const said = { ...message, status: 'completed', content: [{ type: 'output_text', text }] }
  const events: readonly JsonObject[] = [
    { type: 'response.created', response: { id: 'r', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
    { type: 'response.function_call_arguments.delta', output_index: 0, delta: call.arguments },
    { type: 'response.output_item.done', output_index: 0, item: call },
    { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } },
    { type: 'response.output_text.delta', ...at, delta: text },
    { type: 'response.output_text.done', ...at, text },
    { type: 'response.output_item.done', output_index: 1, item: said },
    {
      type: 'response.completed',
      response: { id: 'r', status: 'completed', output: [call, said] },
    },
  ]
  const stream = sse(...events.map((event, number) => ({ ...event, sequence_number: number })))
  expect(await replyOf('openai-responses', stream)).toEqual({ cities: ['Bergen'], text: 'So: ' })
})

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
