/** Tools that the gateway runs because the service of the model cannot. */
import { describe, expect, test } from 'vitest'
import { createFrameReader } from '../../src/client/frames.ts'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import type { WebSearchConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import {
  type FakeProviders,
  fakeProviders,
  postRequest,
  type SentRequest,
  sseResponse,
} from '../support/gateway-send.ts'

const SEARX: WebSearchConfig = { provider: 'searxng', url: 'http://search.test/base/' }
const KEY = 'secret-key-of-the-backend'

const FOUND = [
  { url: 'https://tides.test/oslo', title: 'Tides', content: 'High water at six. Ærlig.' },
  { url: 'https://ads.test/x', title: 'Ads', content: 'Buy.' },
]

/** A model that makes these calls, one list for each question, and then answers. */
function model(calls: readonly (readonly [name: string, args: JsonObject][])[]) {
  let round = 0
  return ({ body }: SentRequest): Response => {
    const made = calls[round++] ?? []
    const toolCalls = made.map(([name, args], index) => ({
      index,
      id: `call_${round}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }))
    const content = made.length > 0 ? 'I look. ' : 'High water is at six.'
    const message = {
      role: 'assistant',
      content,
      ...(made.length > 0 && { tool_calls: toolCalls }),
    }
    const reason = made.length > 0 ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
    if (body['stream'] !== true) {
      return Response.json({ choices: [{ message, finish_reason: reason }], usage })
    }
    return sseResponse(
      { choices: [{ index: 0, delta: message }] },
      { choices: [{ index: 0, delta: {}, finish_reason: reason }] },
      { choices: [], usage },
      '[DONE]',
    )
  }
}

function world(
  answer: (request: SentRequest) => Response,
  search: () => Response = () => Response.json({ results: FOUND }),
): FakeProviders {
  return fakeProviders((request) =>
    request.url.hostname === 'models.test' ? answer(request) : search(),
  )
}

const WEB: JsonObject = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 }
const ASK = { role: 'user', content: 'When is high water in Oslo?' }

interface Asking {
  readonly stream: boolean
  readonly webSearch?: WebSearchConfig | undefined
  readonly body?: JsonObject
}

function gatewayOver(providers: FakeProviders, webSearch?: WebSearchConfig): Gateway {
  return createGateway(
    {
      demo: false,
      webSearch,
      providers: {
        chat: { provider: 'openai-compatible', baseUrl: 'http://models.test/v1' },
        messages: { provider: 'anthropic', apiKey: 'k', baseUrl: 'http://models.test' },
      },
    },
    { send: providers.send, env: {} },
  )
}

async function ask(providers: FakeProviders, { stream, webSearch, body }: Asking) {
  const gateway = gatewayOver(providers, webSearch)
  const request = { model: 'chat/m', max_tokens: 99, messages: [ASK], tools: [WEB] }
  const response = await gateway.fetch(postRequest('/v1/messages', { ...request, ...body, stream }))
  const text = await response.text()
  return {
    response,
    text,
    reply: response.status === 200 && stream ? assembled(text) : JSON.parse(text),
  }
}

/** The reply as Anthropic's own client puts it together. */
function assembled(text: string): JsonObject {
  const reader = createFrameReader('sse')
  const frames = [...reader.push(new TextEncoder().encode(text)), ...reader.end()]
  let reply: JsonObject = {}
  const content: JsonObject[] = []
  const inputs: string[] = []
  for (const { data } of frames) {
    const event = JSON.parse(data)
    const { type, index, delta = {}, content_block: block } = event
    if (type === 'message_start') reply = event.message
    if (type === 'content_block_start') {
      content[index] = { ...block, ...(isJsonObject(block.input) && { input: '' }) }
      inputs[index] = ''
    }
    if (delta.type === 'text_delta')
      content[index] = { type: 'text', text: `${content[index]?.['text']}${delta.text}` }
    if (delta.type === 'input_json_delta') inputs[index] += delta.partial_json
    if (type === 'content_block_stop' && content[index]?.['input'] === '') {
      content[index] = { ...content[index], input: JSON.parse(inputs[index] || '{}') }
    }
    if (type === 'message_delta') reply = { ...reply, ...delta, usage: event.usage }
  }
  return { ...reply, content }
}

const models = ({ requests }: FakeProviders): SentRequest[] =>
  requests.filter(({ url }) => url.hostname === 'models.test')
const searches = ({ requests }: FakeProviders): SentRequest[] =>
  requests.filter(({ url }) => url.hostname !== 'models.test')

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('%s', (_, stream) => {
  test('the gateway searches, and the reply has the blocks of the API', async () => {
    const providers = world(model([[['web_search', { query: 'tide Oslo & more' }]]]))
    const { reply, response } = await ask(providers, { stream, webSearch: SEARX })
    expect(reply.content).toEqual([
      { type: 'text', text: expect.stringContaining('I look.') },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_1_0',
        name: 'web_search',
        input: { query: 'tide Oslo & more' },
      },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1_0',
        content: [
          expect.objectContaining({
            type: 'web_search_result',
            title: 'Tides',
            url: FOUND[0]?.url,
          }),
          expect.objectContaining({ title: 'Ads' }),
        ],
      },
      { type: 'text', text: 'High water is at six.' },
    ])
    expect(reply.stop_reason).toBe('end_turn')
    expect(reply.usage).toMatchObject({
      input_tokens: 20,
      output_tokens: 4,
      server_tool_use: { web_search_requests: 1 },
    })
    expect(response.headers.get('x-toolglot-issues')).toBeNull()
    const [search] = searches(providers)
    expect(search?.url.href).toBe('http://search.test/base/search?q=tide+Oslo+%26+more&format=json')
    const [first, second] = models(providers)
    expect(first?.body['tools']).toMatchObject([{ function: { name: 'web_search' } }])
    expect(JSON.stringify(second?.body['messages'])).toContain('High water at six. Ærlig.')
  })

  test('the next turn has the search as calls and results of functions', async () => {
    const first = world(model([[['web_search', { query: 'tide' }]]]))
    const { reply } = await ask(first, { stream, webSearch: SEARX })
    const messages = [
      ASK,
      { role: 'assistant', content: reply.content },
      { role: 'user', content: 'And?' },
    ]
    const second = world(model([]))
    await ask(second, { stream, webSearch: SEARX, body: { messages, tools: [] } })
    const [sent] = models(second)
    expect(sent?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ function: { name: 'web_search' } }] },
      { role: 'tool', content: expect.stringContaining('High water at six. Ærlig.') },
      { role: 'assistant', content: 'High water is at six.' },
      { role: 'user', content: 'And?' },
    ])
  })

  test('without a backend the client gets the error of its API, and the model is told', async () => {
    const providers = world(model([[['web_search', { query: 'tide' }]]]))
    const { reply, response } = await ask(providers, { stream })
    expect(reply.content[2]).toEqual({
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1_0',
      content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
    })
    expect(searches(providers)).toHaveLength(0)
    expect(JSON.stringify(models(providers)[1]?.body)).toContain('do not invent results')
    expect(response.headers.get('x-toolglot-issues')).toBe('not-expressible')
  })

  test('domains and the number of searches are kept to', async () => {
    const call: [string, JsonObject] = ['web_search', { query: 'tide' }]
    const providers = world(model([[call, call], [call]]))
    const tools = [{ ...WEB, allowed_domains: ['tides.test/oslo'] }]
    const { reply } = await ask(providers, { stream, webSearch: SEARX, body: { tools } })
    const results = reply.content.filter(
      ({ type }: JsonObject) => type === 'web_search_tool_result',
    )
    expect(results.map(({ content }: JsonObject) => content)).toEqual([
      [expect.objectContaining({ title: 'Tides' })],
      [expect.objectContaining({ title: 'Tides' })],
      { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
    ])
    expect(searches(providers)[0]?.url.searchParams.get('q')).toBe('tide (site:tides.test/oslo)')
    expect(reply.usage.server_tool_use).toEqual({ web_search_requests: 2 })
  })

  test('calls of the client and of the gateway in one answer', async () => {
    const own = { name: 'tide', input_schema: { type: 'object' } }
    const providers = world(
      model([
        [
          ['web_search', { query: 'tide' }],
          ['tide', { city: 'Oslo' }],
        ],
      ]),
    )
    const { reply } = await ask(providers, {
      stream,
      webSearch: SEARX,
      body: { tools: [own, WEB] },
    })
    expect(reply.stop_reason).toBe('tool_use')
    expect(models(providers)).toHaveLength(1)
    expect(reply.content.map(({ type }: JsonObject) => type)).toEqual([
      'text',
      'server_tool_use',
      'tool_use',
      'web_search_tool_result',
    ])
    const use = reply.content[2]
    expect(use).toMatchObject({ name: 'tide', input: { city: 'Oslo' } })
    const next = world(model([]))
    const messages = [
      ASK,
      { role: 'assistant', content: reply.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'six' }] },
    ]
    await ask(next, { stream, webSearch: SEARX, body: { messages, tools: [own, WEB] } })
    expect(models(next)[0]?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ function: { name: 'web_search' } }] },
      { role: 'tool' },
      { role: 'assistant', tool_calls: [{ function: { name: 'tide' } }] },
      { role: 'tool', content: 'six' },
    ])
  })

  test('a model that never stops searching is stopped', async () => {
    const call: [string, JsonObject] = ['web_search', { query: 'tide' }]
    const providers = world(model(Array.from({ length: 40 }, () => [call])))
    const { reply } = await ask(providers, { stream, webSearch: SEARX })
    expect(reply.stop_reason).toBe('pause_turn')
    expect(models(providers)).toHaveLength(10)
  })

  test('a tool choice that demands a search holds for the first answer alone', async () => {
    const providers = world(model([[['web_search', { query: 'tide' }]]]))
    const choice = { tool_choice: { type: 'tool', name: 'web_search' } }
    await ask(providers, { stream, webSearch: SEARX, body: choice })
    expect(models(providers).map(({ body }) => body['tool_choice'])).toEqual([
      { type: 'function', function: { name: 'web_search' } },
      'auto',
    ])
  })

  test('an error in the middle reaches the client', async () => {
    let round = 0
    const answer = model([[['web_search', { query: 'tide' }]]])
    const providers = world((request) =>
      round++ === 0
        ? answer(request)
        : Response.json({ error: { message: 'no such thing' } }, { status: 400 }),
    )
    const { text, response } = await ask(providers, { stream, webSearch: SEARX }).catch(
      ({ message }) => ({ text: message, response: undefined }),
    )
    if (!stream) expect(response?.status).toBe(400)
    expect(text).toContain('no such thing')
  })

  test('tools are searched for among those that are held back', async () => {
    const held = (name: string, description: string): JsonObject => ({
      ...{ name, description, input_schema: { type: 'object' }, defer_loading: true },
    })
    const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }
    const tools = [search, held('get_tide', 'High water'), held('get_moon', 'The moon')]
    const providers = world(
      model([[['tool_search_tool_regex', { query: 'TIDE|water' }]], [['get_tide', {}]]]),
    )
    const { reply } = await ask(providers, { stream, body: { tools } })
    expect(reply.content.map(({ type }: JsonObject) => type)).toEqual([
      'text',
      'server_tool_use',
      'tool_search_tool_result',
      'text',
      'tool_use',
    ])
    expect(reply.content[2].content).toEqual({
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'get_tide' }],
    })
    const offered = models(providers).map(({ body }) =>
      [body['tools']]
        .flat()
        .map(
          (tool) =>
            isJsonObject(tool) && isJsonObject(tool['function']) && tool['function']['name'],
        ),
    )
    expect(offered).toEqual([['tool_search_tool_regex'], ['tool_search_tool_regex', 'get_tide']])
    // In the next turn the tool is still known, and so is how it was found.
    const use = reply.content[4]
    const messages = [
      ASK,
      { role: 'assistant', content: reply.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'six' }] },
    ]
    const next = world(model([]))
    await ask(next, { stream, body: { tools, messages } })
    const sent = JSON.stringify(models(next)[0]?.body)
    expect(sent).toContain('<functions>')
    expect(sent).toContain('"name":"get_tide"')
    expect(sent).not.toContain('get_moon')
  })
})

test.each([
  ['brave', { web: { results: [{ ...FOUND[0], description: 'High <strong>water</strong>' }] } }],
  ['tavily', { results: FOUND }],
] as const)('%s', async (provider, answer) => {
  const providers = world(model([[['web_search', { query: 'tide' }]]]), () => Response.json(answer))
  const webSearch: WebSearchConfig = { provider, apiKey: KEY }
  const { reply, text } = await ask(providers, { stream: false, webSearch })
  expect(reply.content[2].content[0]).toMatchObject({ title: 'Tides' })
  expect(text).not.toContain(KEY)
  const [search] = searches(providers)
  expect(JSON.stringify(search?.headers)).toContain(KEY)
  expect(`${search?.url}${JSON.stringify(search?.body)}`).toContain('tide')
})

test.each([
  ['refuses the key', () => new Response(`bad key ${KEY}`, { status: 401 }), 'unavailable'],
  ['is asked too often', () => new Response('', { status: 429 }), 'too_many_requests'],
  ['answers with a page', () => new Response('<html>'), 'unavailable'],
  ['answers with too much', () => new Response('x'.repeat(3_000_000)), 'unavailable'],
  [
    'cannot be reached',
    () => {
      throw new TypeError(`fetch failed ${KEY}`)
    },
    'unavailable',
  ],
] as const)('a backend that %s', async (_, search, code) => {
  const providers = world(model([[['web_search', { query: 'tide' }]]]), search)
  const { reply, text } = await ask(providers, {
    stream: false,
    webSearch: { ...SEARX, apiKey: KEY },
  })
  expect(reply.content[2].content).toMatchObject({ error_code: code })
  expect(text).not.toContain(KEY)
})

test.each([
  ['no text', { query: 7 }, 'invalid_tool_input'],
  ['an endless query', { query: 'x'.repeat(1001) }, 'query_too_long'],
] as const)('%s', async (_, args, code) => {
  const providers = world(model([[['web_search', args]]]))
  const { reply } = await ask(providers, { stream: false, webSearch: SEARX })
  expect(reply.content[2].content).toMatchObject({ error_code: code })
  expect(searches(providers)).toHaveLength(0)
})

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('other APIs, %s', (_, stream) => {
  const method = stream ? 'streamGenerateContent' : 'generateContent'
  test.each([
    ['/v1/responses', { input: 'Tide?', tools: [{ type: 'web_search' }], stream }],
    ['/v1/responses', { input: 'Tide?', tools: [{ type: 'web_search_preview' }], stream }],
    [
      `/v1beta/models/chat/m:${method}`,
      { contents: [{ role: 'user', parts: [{ text: 'Tide?' }] }], tools: [{ googleSearch: {} }] },
    ],
  ] as const)('%s %j', async (path, body) => {
    const providers = world(model([[['web_search', { query: 'tide' }]]]))
    const gateway = gatewayOver(providers, SEARX)
    const whole = JSON.parse(JSON.stringify({ ...body, model: 'chat/m' }))
    const response = await gateway.fetch(postRequest(path, whole))
    expect(await response.text()).toContain('High water is at six.')
    expect(searches(providers)).toHaveLength(1)
    expect(models(providers)[0]?.body['tools']).toMatchObject([
      { function: { name: 'web_search' } },
    ])
    expect(JSON.stringify(models(providers)[1]?.body['messages'])).toContain('High water at six.')
  })

  test('pages that only OpenAI has stored are not searched for', async () => {
    const providers = world(model([]))
    const tools = [{ type: 'web_search', external_web_access: false }]
    const request = { model: 'chat/m', input: 'Tide?', tools, stream }
    await (await gatewayOver(providers, SEARX).fetch(postRequest('/v1/responses', request))).text()
    expect(models(providers)[0]?.body).not.toHaveProperty('tools')
  })
})

test('Anthropic searches itself', async () => {
  const content = [{ type: 'text', text: 'At six.' }]
  const providers = world(() =>
    Response.json({
      type: 'message',
      role: 'assistant',
      content,
      stop_reason: 'end_turn',
      usage: {},
    }),
  )
  const { response } = await ask(providers, {
    stream: false,
    webSearch: SEARX,
    body: { model: 'messages/claude-opus-5' },
  })
  expect(response.headers.get('x-toolglot-lane')).toBe('pass')
  expect(models(providers)[0]?.body['tools']).toEqual([WEB])
})

test('another service with its API does not', async () => {
  const content = [{ type: 'text', text: 'At six.' }]
  const providers = world(() =>
    Response.json({
      type: 'message',
      role: 'assistant',
      content,
      stop_reason: 'end_turn',
      usage: {},
    }),
  )
  const { response } = await ask(providers, {
    stream: false,
    webSearch: SEARX,
    body: { model: 'messages/qwen3' },
  })
  expect(response.headers.get('x-toolglot-lane')).toBe('translate')
  expect(models(providers)[0]?.body['tools']).toMatchObject([
    { name: 'web_search', input_schema: { type: 'object' } },
  ])
})

test.each([
  [{ provider: 'bing' }, /webSearch\.provider/],
  [{ provider: 'searxng' }, /searxng needs `url`/],
  [{ provider: 'brave' }, /brave needs `apiKey`/],
  [{ provider: 'searxng', url: 'file:///etc/passwd' }, /webSearch\.url/],
  [{ provider: 'searxng', adress: 'x' }, /adress/],
])('%j is refused', (webSearch, message) => {
  // The cast: callers without types write such things.
  expect(() => createGateway({ webSearch: webSearch as WebSearchConfig })).toThrow(message)
})
