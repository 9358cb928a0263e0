/** Presets and the other options of reading, wherever replies are read. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runAgent } from '../src/agent/index.ts'
import { type ClientOptions, createClient } from '../src/client/create-client.ts'
import { createFallback } from '../src/client/fallback.ts'
import { rescueFetch } from '../src/client/rescue-fetch.ts'
import type { ChatRequest } from '../src/core/chat.ts'
import { extract } from '../src/extract.ts'
import type { GatewayConfig } from '../src/gateway/config.ts'
import { createGateway, type Gateway } from '../src/gateway/gateway.ts'
import { fetchSend } from '../src/gateway/web.ts'
import { mergeReading, type ReadingOptions } from '../src/reading-options.ts'
import { startUpstream, type Upstream } from '../src/testing/upstream.ts'
import { tool } from '../src/tool.ts'
import { type Asker, ask, askerNamed, replyIn } from './support/gateway-askers.ts'

/** A call for one preset and none by default, and the other way round. */
const WORDS = 'I ask. get_time(city="Oslo")'
const TAGS = '<tool_call>{"name": "get_time", "arguments": {"city": "Oslo"}}</tool_call>'
const BROKEN = '<tool_call>{"name": "get_time", "arguments": {"city": "Oslo",}}</tool_call>'

const inputSchema = { type: 'object', properties: { city: { type: 'string' } } } as const
const tools = [{ name: 'get_time', inputSchema }]
const messages = [{ role: 'user', content: 'When?' }] as const
const OSLO = { name: 'get_time', arguments: { city: 'Oslo' } }

interface Case {
  readonly reading: ReadingOptions
  readonly reply: string
  /** How many calls are read; by default it is the other number of none and one. */
  readonly calls: 0 | 1
}

const CASES: readonly Case[] = [
  { reading: { preset: 'go-agentic' }, reply: WORDS, calls: 1 },
  { reading: { preset: 'exathena-0.4' }, reply: TAGS, calls: 0 },
  { reading: { preset: 'ai-gents' }, reply: TAGS, calls: 0 },
  { reading: { preset: 'ai-gents', protocols: ['function-pattern'] }, reply: WORDS, calls: 1 },
  { reading: { protocols: ['function-pattern'] }, reply: WORDS, calls: 1 },
  { reading: { protocols: ['react'] }, reply: TAGS, calls: 0 },
  { reading: { repair: 'off' }, reply: BROKEN, calls: 0 },
]

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream({ reply: 'Done.' })
})
afterAll(() => upstream.close())

function clientWith(options: Partial<ClientOptions> = {}) {
  const baseUrl = `${upstream.url}/v1`
  return createClient({
    provider: 'openai-compatible',
    model: 'm',
    baseUrl,
    retries: 0,
    ...options,
  })
}

describe.for(CASES)('$reading of $reply', ({ reading, reply, calls: count }) => {
  const expected = count === 1 ? [OSLO] : []
  const usual = count === 1 ? [] : [OSLO]

  test('in extract', () => {
    expect(extract(reply, { tools }).calls).toMatchObject(usual)
    expect(extract(reply, { tools, ...reading }).calls).toMatchObject(expected)
  })

  test.for(['native', 'text'] as const)('in a client, %s', async (toolMode) => {
    upstream.play({ reply })
    const own = clientWith({ toolMode, ...reading })
    const plain = clientWith({ toolMode })
    const replies = [
      await own.complete({ messages, tools }),
      await own.stream({ messages, tools }).response,
      await plain.complete({ messages, tools }, reading),
      await plain.stream({ messages, tools }, reading).response,
      await createFallback([plain]).complete({ messages, tools }, reading),
    ]
    for (const { message } of replies) expect(message.toolCalls ?? []).toMatchObject(expected)
    const { message } = await plain.complete({ messages, tools })
    expect(message.toolCalls ?? []).toMatchObject(usual)
  })

  test('in an agent', async () => {
    for (const [own, made] of [
      [reading, expected],
      [{}, usual],
    ] as const) {
      upstream.play({ reply }, { reply: 'Done.' })
      const given: unknown[] = []
      const { result } = runAgent({
        client: clientWith(),
        prompt: 'When?',
        ...own,
        // What cannot be read is not asked for again.
        onMalformed: 'halt',
        tools: [tool({ name: 'get_time', inputSchema, execute: (args) => void given.push(args) })],
      })
      await result
      expect(given).toEqual(made.map((call) => call.arguments))
    }
  })

  test('in rescueFetch', async () => {
    upstream.play({ reply })
    for (const stream of [false, true]) {
      for (const [options, made] of [
        [reading, count],
        [{}, 1 - count],
      ] as const) {
        const answer = await rescueFetch(options)(`${upstream.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'm',
            stream,
            messages,
            tools: [{ type: 'function', function: { name: 'get_time', parameters: inputSchema } }],
          }),
        })
        const text = await answer.text()
        expect(text.includes('"name":"get_time"')).toBe(made === 1)
      }
    }
  })
})

describe('in a gateway', () => {
  const opened: Gateway[] = []
  afterEach(async () => {
    for (const gateway of opened.splice(0)) await gateway.close()
  })

  function open(config: GatewayConfig): Gateway {
    const gateway = createGateway(config, { send: fetchSend(), env: {} })
    opened.push(gateway)
    return gateway
  }

  const provider = (own: object = {}) => ({
    provider: 'openai-compatible',
    baseUrl: `${upstream.url}/v1`,
    ...own,
  })

  async function callsOf(gateway: Gateway, asker: Asker, streamed: boolean): Promise<unknown> {
    const request: ChatRequest = { model: 'x', messages, tools, maxTokens: 100 }
    const answer = await ask('http://gateway.example', asker, request, streamed, {
      fetch: (url, init) => gateway.fetch(new Request(url, init)),
    })
    return replyIn(answer, asker, streamed).message.toolCalls ?? []
  }

  /** The same dialect as that of the provider passes, another is translated. */
  const LANES = ['openai-chat', 'anthropic'].flatMap((name) =>
    [false, true].map((streamed) => [askerNamed(name), streamed] as const),
  )

  test.for([
    ['a provider', (own: object) => ({ providers: { p: provider(own) }, models: { x: 'p/m' } })],
    [
      'a model',
      (own: object) => ({
        providers: { p: provider({ preset: 'chatcli' }) },
        models: { x: { chain: ['p/m'], ...own } },
      }),
    ],
    [
      'a link of a chain',
      (own: object) => ({
        providers: { p: provider() },
        models: { x: { preset: 'chatcli', chain: [{ model: 'p/m', ...own }] } },
      }),
    ],
    [
      'a name behind a name',
      (own: object) => ({
        providers: { p: provider() },
        models: { x: ['y'], y: { chain: ['p/m'], ...own } },
      }),
    ],
    ['all', (own: object) => ({ providers: { p: provider() }, models: { x: 'p/m' }, rescue: own })],
    [
      'a provider in words',
      (own: object) => ({
        providers: { p: provider({ toolMode: 'text', ...own }) },
        models: { x: 'p/m' },
      }),
    ],
  ] as const)('of %s, in both lanes', async ([, configure]) => {
    for (const { reading, reply, calls } of CASES.filter(({ reading: { preset } }) => preset)) {
      upstream.play({ reply })
      // The cast: what the cases have are ids of formats.
      const gateway = open(configure(reading) as GatewayConfig)
      for (const [asker, streamed] of LANES) {
        const found = await callsOf(gateway, asker, streamed)
        expect(found).toMatchObject(calls === 1 ? [OSLO] : [])
        expect(found).toHaveLength(calls)
      }
    }
  })

  test('the usual ones without a word', async () => {
    const gateway = open({ providers: { p: provider() }, models: { x: 'p/m' } })
    for (const { reply, calls } of CASES) {
      upstream.play({ reply })
      for (const [asker, streamed] of LANES) {
        expect(await callsOf(gateway, asker, streamed)).toHaveLength(1 - calls)
      }
    }
  })

  test('a whole reply to who wants a stream', async () => {
    upstream.play({ reply: WORDS })
    const gateway = createGateway(
      { providers: { p: provider({ preset: 'go-agentic' }) }, models: { x: 'p/m' } },
      {
        env: {},
        send: (request) => {
          const body: object = JSON.parse(String(request.body))
          return fetchSend()({ ...request, body: JSON.stringify({ ...body, stream: false }) })
        },
      },
    )
    opened.push(gateway)
    expect(await callsOf(gateway, askerNamed('openai-chat'), true)).toMatchObject([OSLO])
  })
})

describe('a conversation', () => {
  test('ids do not come again, though those of the preset may', async () => {
    upstream.play({ reply: WORDS }, { reply: WORDS }, { reply: 'Done.' })
    const { result } = runAgent({
      client: clientWith(),
      prompt: 'When?',
      preset: 'go-agentic',
      tools: [tool({ name: 'get_time', inputSchema, execute: () => 'at noon' })],
    })
    const { messages: said } = await result
    const ids = said.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toBe('get_time_0')
  })

  test('a format that was asked for is read under any preset', async () => {
    upstream.play({ reply: TAGS })
    const client = clientWith({ toolMode: 'text', protocol: 'hermes', preset: 'ai-gents' })
    const { message } = await client.complete({ messages, tools })
    expect(message.toolCalls).toMatchObject([OSLO])
  })

  test('a preset keeps its own form of a format that was asked for', () => {
    const list = '~~~tool_call\n[{"name": "get_time", "arguments": {}}]\n~~~'
    const { calls } = extract(list, { tools, preset: 'exathena-0.4', expect: 'text-tagged' })
    expect(calls).toEqual([])
    expect(extract(list, { tools, expect: 'text-tagged' }).calls).toHaveLength(1)
  })
})

describe('mistakes are reported where they are made', () => {
  // The cast: callers without types make them.
  const wrong = [
    { preset: 'go-agnetic' },
    { protocols: ['hermez'] },
    { protocols: 'hermes' },
    { repair: 'none' },
  ] as object[]

  test.for(wrong)('%j', async (options) => {
    expect(() => clientWith(options)).toThrow(TypeError)
    expect(() => rescueFetch(options)).toThrow(TypeError)
    expect(() => runAgent({ client: clientWith(), prompt: 'x', ...options })).toThrow(TypeError)
    await expect(clientWith().complete({ messages }, options)).rejects.toThrow(TypeError)
    const provider = { provider: 'openai-compatible', baseUrl: upstream.url }
    const run = { send: fetchSend(), env: {} }
    for (const config of [
      { providers: { p: { ...provider, ...options } } },
      { providers: { p: provider }, models: { x: { chain: ['p/m'], ...options } } },
      { providers: { p: provider }, models: { x: { chain: [{ model: 'p/m', ...options }] } } },
      { rescue: options },
    ]) {
      expect(() => createGateway(config, run)).toThrow(TypeError)
    }
  })

  test('`expect` must exist', () => {
    expect(() => extract('', { expect: 'hermez' })).toThrow('hermez')
  })
})

test.for<[readonly ReadingOptions[], ReadingOptions]>([
  [[], {}],
  [[{ repair: 'safe' }, { repair: undefined }], { repair: 'safe' }],
  [[{ preset: 'chatcli' }, { repair: 'off' }], { preset: 'chatcli', repair: 'off' }],
  [[{ protocols: ['hermes'], repair: 'off' }, { preset: 'chatcli' }], { preset: 'chatcli' }],
])('layers %j are %j', ([layers, merged]) => {
  expect(mergeReading(...layers)).toEqual(merged)
})
