/**
 * The same reply of a provider through every lane: passed on by the gateway, translated by it, through `rescueFetch`,
 * and by the client. Each is decoded by its own dialect and must come to the same.
 */
import { describe, expect, test } from 'vitest'
import type { ChatResponse } from '../src/core/chat.ts'
import { textOf } from '../src/core/message.ts'
import { findDemoModel, listDemoModels } from '../src/gateway/demo/demo-models.ts'
import { replyTo } from '../src/gateway/demo/reply.ts'
import { differences, type Lane, readThrough, UPSTREAMS, type Upstream } from './support/lanes.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
}
const tools = [{ name: 'get_weather', description: 'The weather', inputSchema: schema }]
const messages = [{ role: 'user', content: 'The weather in "Oslo"?' }] as const

const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
const leaked = (city: string) =>
  `<tool_call>{"name": "get_weather", "arguments": {"city": "${city}"}}</tool_call>`
const own = (city: string, id = 'call_own_1') =>
  ({ id, name: 'get_weather', arguments: { city }, origin: 'native' }) as const

function reply(content: string, more: Partial<ChatResponse['message']> = {}): ChatResponse {
  const finishReason = more.toolCalls ? 'tool-calls' : 'stop'
  const message = { role: 'assistant', content, ...more } as const
  return { id: 'r1', model: 'm', message, finishReason, usage, issues: [] }
}

/** What demo models do not write. */
const REPLIES: Readonly<Record<string, ChatResponse>> = {
  text: reply('It rains in Oslo.'),
  native: reply('I look.', { toolCalls: [own('Oslo')] }),
  'two native': reply('', { toolCalls: [own('Oslo'), own('Bergen', 'call_own_2')] }),
  'native and the same in the text': reply(`I look. ${leaked('Oslo')}`, {
    toolCalls: [own('Oslo')],
  }),
  'native and another in the text': reply(`I look. ${leaked('Bergen')}`, {
    toolCalls: [own('Oslo')],
  }),
  'native and both in the text': reply(`${leaked('Bergen')}\n${leaked('Oslo')}`, {
    toolCalls: [own('Oslo')],
  }),
  'native after reasoning in the text': reply('<think>Hm.</think>I look.', {
    toolCalls: [own('Oslo')],
  }),
  'reasoning and text': reply('<think>Hm, Oslo.</think>\n\nIt rains.'),
  'reasoning between texts': reply('First. <think>Hm.</think> Then.'),
  'reasoning and nothing else': reply('<think>Hm.</think>'),
  'reasoning with a draft': reply(`<think>Maybe ${leaked('Rome')}?</think>No.`),
  'reasoning of its own': reply('It rains.', { reasoning: 'Hm.' }),
  'reasoning twice': reply('<think>And more.</think>It rains.', { reasoning: 'Hm. ' }),
  'tokens of a turn': reply('<|channel|>final<|message|>It rains.<|end|>'),
  'a call that cannot be read': reply(
    '<tool_call>{"name": "get_weather", "arguments": [[[}</tool_call> so it goes',
  ),
  'an unfinished call': {
    ...reply(`Well. ${leaked('Oslo').slice(0, 55)}`),
    finishReason: 'length',
  },
  'an invented result': reply('Then <tool_response>{"rain": true}</tool_response> came.'),
  'a call and an invented result': reply(
    `${leaked('Oslo')}\n<tool_response>{"rain": true}</tool_response>`,
  ),
  'an unknown tool': reply(leaked('Oslo').replace('get_weather', 'get_wether_map')),
}

function demoReply(id: string): ChatResponse {
  const model = findDemoModel(id)
  if (!model) throw new Error(`no demo model ${id}`)
  return replyTo({ model: id, messages, tools }, model)
}

const DEMO = listDemoModels().map(({ id }) => id)

async function expectSame(upstream: Upstream, name: string, given: ChatResponse): Promise<void> {
  for (const streamed of [false, true]) {
    const chunkings = streamed ? ([Number.POSITIVE_INFINITY, 37, 5] as const) : [4096]
    for (const size of chunkings) {
      const read = await readThrough(upstream, given, { tools, messages, streamed, size })
      const known = differences(upstream, name, streamed)
      for (const [lane, seen] of Object.entries(read)) {
        const expected = { ...read.client, ...known[lane as Lane] }
        expect({ lane, size, ...seen }).toEqual({ lane, size, ...expected })
      }
      expectAllSaid(given, read.client)
    }
  }
}

/** Nothing vanishes: a reply without calls keeps its text, apart from markup. */
function expectAllSaid(
  given: ChatResponse,
  seen: { calls: readonly unknown[]; text: string; reasoning: string; issues: readonly string[] },
): void {
  if (seen.calls.length > 0 || given.finishReason !== 'length') return
  expect(seen.text).toContain(textOf(given.message).trim())
  expect(seen.issues.length).toBeGreaterThan(0)
}

describe.for(UPSTREAMS)('a provider that speaks %s', (upstream) => {
  test.for(Object.entries(REPLIES))('%s', ([name, given]) => expectSame(upstream, name, given))
})

describe('demo models', () => {
  test.for(DEMO)('%s', (id) => expectSame('openai-chat', id, demoReply(id)))
})
