/** How tools reach a model, and how its calls come back, whatever the provider makes of them. */
import { describe, expect, it } from 'vitest'
import type { ChatEvent } from '../core/chat.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Tool, ToolCall } from '../core/model.ts'
import { allProtocols, getProtocol } from '../protocols/registry.ts'
import type { ChatStream } from './chat-client.ts'
import { type ClientOptions, createClient } from './create-client.ts'

const tools: readonly Tool[] = [
  { name: 'find_peak', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } },
  {
    name: 'plan.route',
    inputSchema: { type: 'object', properties: { days: { type: 'integer' } } },
  },
]
const messages = [{ role: 'user', content: 'How high is the Watzmann?' }] as const
const leaked = '<tool_call>{"name": "find_peak", "arguments": {"name": "Watzmann"}}</tool_call>'
/** What it is called with there. */
const found = { name: 'Watzmann' }

interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly body: JsonObject
}

/** A fetch that gives the answers one after the other, the last one again and again. */
function scripted(...answers: readonly (() => Response)[]): {
  fetch: typeof fetch
  sent: Sent[]
} {
  const sent: Sent[] = []
  return {
    sent,
    fetch: async (url, init) => {
      const text = typeof init?.body === 'string' ? init.body : '{}'
      const body: unknown = JSON.parse(text)
      sent.push({
        url: String(url),
        headers: new Headers(init?.headers),
        body: isJsonObject(body) ? body : {},
      })
      const answer = answers[Math.min(sent.length, answers.length) - 1]
      return answer?.() ?? new Response('', { status: 500 })
    },
  }
}

const chat =
  (content: string | null, calls?: object[], finish = 'stop') =>
  () =>
    Response.json({
      choices: [
        {
          message: { role: 'assistant', content, ...(calls && { tool_calls: calls }) },
          finish_reason: finish,
        },
      ],
    })

const wireCall = (name: string, args: string) => ({
  id: 'call_1',
  type: 'function',
  function: { name, arguments: args },
})

function sse(...deltas: readonly object[]): () => Response {
  const last = { choices: [{ delta: {}, finish_reason: 'stop' }] }
  const chunks = [...deltas.map((delta) => ({ choices: [{ delta, finish_reason: null }] })), last]
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
  const headers = { 'content-type': 'text/event-stream' }
  return () => new Response(`${text}data: [DONE]\n\n`, { headers })
}

function clientOf(fetch: typeof globalThis.fetch, more: Partial<ClientOptions> = {}) {
  return createClient({
    provider: 'openai-compatible',
    baseUrl: 'http://models.test/v1',
    model: 'm',
    env: {},
    retries: 0,
    fetch,
    ...more,
  })
}

async function collect(stream: ChatStream): Promise<ChatEvent[]> {
  const events: ChatEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

describe('a model that takes no tools', () => {
  const refusal = () => Response.json({ error: 'm does not support tools' }, { status: 400 })

  it('is told of them in words, and it is remembered', async () => {
    const { fetch, sent } = scripted(refusal, chat(leaked), chat('Fine.'))
    const client = clientOf(fetch)
    expect(client.capabilities).toEqual({
      nativeTools: true,
      streamsTools: true,
      toolMode: 'native',
    })
    const { message } = await client.complete({ messages, tools })
    expect(message.toolCalls).toMatchObject([{ name: 'find_peak', origin: 'text' }])
    expect(client.capabilities).toEqual({
      nativeTools: false,
      streamsTools: true,
      toolMode: 'text',
    })
    await client.complete({ messages, tools })
    expect(sent.map(({ body }) => 'tools' in body)).toEqual([true, false, false])
    await client.complete({ messages, tools, model: 'another' })
    expect(sent.at(-1)?.body).toHaveProperty('tools')
  })

  it('is found out in streams as well', async () => {
    const { fetch, sent } = scripted(refusal, sse({ content: leaked }))
    const events = await collect(clientOf(fetch).stream({ messages, tools }))
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      response: { finishReason: 'tool-calls' },
    })
    expect(sent).toHaveLength(2)
  })

  it('stays an error for who wants nothing else', async () => {
    const { fetch, sent } = scripted(refusal)
    const client = clientOf(fetch, { toolMode: 'native' })
    await expect(client.complete({ messages, tools })).rejects.toMatchObject({
      code: 'unsupported',
    })
    expect(sent).toHaveLength(1)
  })
})

describe('calls in the text', () => {
  it('are left alone when no tools were offered, or none may be called', async () => {
    const { fetch } = scripted(chat(leaked))
    const client = clientOf(fetch)
    for (const request of [{ messages }, { messages, tools, toolChoice: 'none' as const }]) {
      const { message } = await client.complete(request)
      expect(message.toolCalls ?? []).toEqual([])
      expect(message.content).toBe(leaked)
    }
  })

  it('count beside proper ones, whole and streamed', async () => {
    const proper = wireCall('find_peak', '{"name":"Eiger"}')
    const whole = await clientOf(scripted(chat(leaked, [proper])).fetch).complete({
      messages,
      tools,
    })
    const stream = clientOf(
      scripted(
        sse(
          { content: 'Well. ' },
          { content: leaked },
          { content: ' Hm.' },
          { tool_calls: [{ index: 0, ...proper }] },
        ),
      ).fetch,
    ).stream({ messages, tools })
    const events = await collect(stream)
    const names = (calls: readonly ToolCall[] = []) => calls.map((call) => call.arguments['name'])
    expect(names(whole.message.toolCalls)).toEqual([found['name'], 'Eiger'])
    expect(whole.message.content).toBe('')
    const { message } = await stream.response
    expect(names(message.toolCalls)).toEqual([found['name'], 'Eiger'])
    expect(message.content).toBe('Well.  Hm.')
    const ends = events.flatMap((event) => (event.type === 'call-end' ? [event] : []))
    expect(ends.map(({ index }) => index)).toEqual([0, 1])
    expect(names(ends.map(({ call }) => call))).toEqual([found['name'], 'Eiger'])
    const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    expect(text).toBe('Well.  Hm.')
  })

  it('do not come again when the provider sends the same call', async () => {
    const same = JSON.stringify(found)
    const begun = { index: 0, ...wireCall('find_peak', '') }
    const rest = [same.slice(0, 5), same.slice(5)].map((json) => ({
      tool_calls: [{ index: 0, function: { arguments: json } }],
    }))
    const replies = [
      [{ content: leaked }, { tool_calls: [begun] }, ...rest],
      [{ content: leaked }, { tool_calls: [{ index: 0, ...wireCall('find_peak', same) }] }],
      [{ tool_calls: [begun] }, ...rest, { content: leaked }],
    ]
    for (const chunks of replies) {
      const stream = clientOf(scripted(sse(...chunks)).fetch).stream({ messages, tools })
      const events = await collect(stream)
      const { message, finishReason } = await stream.response
      expect(message.toolCalls).toMatchObject([{ name: 'find_peak', arguments: found }])
      expect(finishReason).toBe('tool-calls')
      expect(events.filter(({ type }) => type === 'call-start')).toHaveLength(1)
      expect(events.filter(({ type }) => type === 'call-end')).toHaveLength(1)
    }
    const { fetch } = scripted(chat(leaked, [wireCall('find_peak', same)]))
    const { message } = await clientOf(fetch).complete({ messages, tools })
    expect(message.toolCalls).toMatchObject([{ origin: 'native', arguments: found }])
  })

  it('that the provider might have repeated are held back no longer than needed', async () => {
    const other = wireCall('find_peak', '{"name":"Eiger"}')
    const chunks = [{ content: leaked }, { tool_calls: [{ index: 0, ...other }] }]
    const stream = clientOf(scripted(sse(...chunks)).fetch).stream({ messages, tools })
    const events = await collect(stream)
    const ends = events.flatMap((event) => (event.type === 'call-end' ? [event] : []))
    expect(ends.map(({ index }) => index)).toEqual([0, 1])
    expect((await stream.response).message.toolCalls).toHaveLength(2)
  })

  it('are emitted as they come, in pieces when the model has no other way', async () => {
    const text = await typesUntilHalf('text')
    expect(text).toMatch(/call-start .*call-end$/)
    const native = await typesUntilHalf('native')
    expect(native).toMatch(/call-start call-delta call-end$/)
  })

  it('stay text when they cannot be read or were cut off', async () => {
    const cut = `I look. ${leaked.slice(0, -25)}`
    const client = clientOf(scripted(chat(cut, undefined, 'length'), sse({ content: cut })).fetch)
    const whole = await client.complete({ messages, tools })
    expect(whole.message.content).toBe(cut)
    expect(whole.issues.map(({ code }) => code)).toEqual(['truncated-call'])
    const stream = client.stream({ messages, tools })
    const events = await collect(stream)
    const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    expect(text).toBe(cut)
    expect(events.filter(({ type }) => type === 'issue')).toHaveLength(1)
    expect((await stream.response).message.content).toBe(cut)
  })

  it('have reasoning beside them, which is told apart', async () => {
    const { fetch } = scripted(chat(`<think>High, I guess.</think>${leaked}`))
    const { message } = await clientOf(fetch).complete({ messages, tools })
    expect(message).toMatchObject({ content: '', reasoning: 'High, I guess.' })
    expect(message.toolCalls).toHaveLength(1)
  })

  it('use the names that the model was given', async () => {
    const onWire = 'plan_route'
    const { fetch, sent } = scripted(
      chat(`<tool_call>{"name": "${onWire}", "arguments": {"days": 2}}</tool_call>`),
      chat(null, [wireCall(onWire, '{"days":2}')]),
      sse({ tool_calls: [{ index: 0, ...wireCall(onWire, '{"days":2}') }] }),
    )
    const client = clientOf(fetch)
    const leakedName = await client.complete({ messages, tools })
    const native = await client.complete({ messages, tools })
    const events = await collect(client.stream({ messages, tools }))
    expect(JSON.stringify(sent[0]?.body)).toContain(`"name":"${onWire}"`)
    for (const { message } of [leakedName, native]) {
      expect(message.toolCalls).toMatchObject([{ name: 'plan.route' }])
    }
    expect(events.filter(({ type }) => type.startsWith('call-'))).toMatchObject([
      { type: 'call-start', name: 'plan.route' },
      { type: 'call-delta' },
      { type: 'call-end', call: { name: 'plan.route' } },
    ])
  })
})

describe('text mode', () => {
  it.for(allProtocols.map(({ id }) => id))('works in %s', async (id) => {
    const format = getProtocol(id)
    const written = format.formatCall({ name: 'find_peak', arguments: { name: 'Ortler' } })
    const { fetch, sent } = scripted(chat(written), sse({ content: written }))
    const client = clientOf(fetch, { toolMode: 'text', protocol: id })
    const whole = await client.complete({ messages, tools })
    const streamed = await client.stream({ messages, tools }).response
    for (const { message } of [whole, streamed]) {
      expect(message.toolCalls).toMatchObject([
        { name: 'find_peak', arguments: { name: 'Ortler' }, origin: 'text' },
      ])
    }
    expect(JSON.stringify(sent[0]?.body)).toContain('find_peak')
  })
})

describe('a choice of tools that the service does not have', () => {
  it('is said in words, and only the tools that count are sent', async () => {
    const { fetch, sent } = scripted(chat('Well.'))
    const client = clientOf(fetch, { provider: 'zai', apiKey: 'key-for-tests' })
    await client.complete({ messages, tools, toolChoice: { name: 'find_peak' } })
    await client.complete({ messages, tools, toolChoice: 'none' })
    await client.complete({ messages, tools, toolChoice: 'auto' })
    const [named, none, auto] = sent.map(({ body }) => JSON.stringify(body))
    expect(named).toContain('You must call the tool find_peak')
    expect(named).not.toContain('plan_route')
    expect(named).not.toContain('"tool_choice"')
    expect(none).not.toContain('"tools"')
    expect(auto).toContain('"tool_choice":"auto"')
  })
})

/** The events that are told before the server goes on after a call. */
async function typesUntilHalf(toolMode: 'native' | 'text'): Promise<string> {
  const [start = '', end = ''] = (
    await sse({ content: leaked }, { content: ' Bye.' })().text()
  ).split(/(?=data: .*Bye)/)
  const seen: ChatEvent[] = []
  let types = ''
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(start))
      await new Promise((resolve) => setTimeout(resolve, 20))
      types = seen.map(({ type }) => type).join(' ')
      controller.enqueue(new TextEncoder().encode(end))
      controller.close()
    },
  })
  const headers = { 'content-type': 'text/event-stream' }
  const client = clientOf(async () => new Response(body, { headers }), { toolMode })
  for await (const event of client.stream({ messages, tools })) seen.push(event)
  expect(seen.filter(({ type }) => type === 'call-end')).toHaveLength(1)
  return types
}

describe('answers of another kind', () => {
  it('may be whole where a stream was asked for', async () => {
    const { fetch } = scripted(chat('All at once.'))
    const events = await collect(clientOf(fetch).stream({ messages, tools }))
    expect(events.map(({ type }) => type)).toEqual(['start', 'text-delta', 'finish'])
  })

  it('may be what a service refused, when there is a call in it', async () => {
    const refused = () =>
      Response.json(
        { error: { message: 'x', code: 'tool_use_failed', failed_generation: leaked } },
        { status: 400 },
      )
    const { fetch } = scripted(refused)
    const client = clientOf(fetch, { provider: 'groq', apiKey: 'key-for-tests' })
    const { message, finishReason } = await client.complete({ messages, tools })
    expect(message.toolCalls).toMatchObject([{ name: 'find_peak' }])
    expect(finishReason).toBe('tool-calls')
    const streamed = await client.stream({ messages, tools }).response
    expect(streamed.message.toolCalls).toMatchObject([{ name: 'find_peak' }])
    await expect(client.complete({ messages })).rejects.toMatchObject({ retryable: true })
  })

  it('may be failures with a good status', async () => {
    const { fetch } = scripted(() =>
      Response.json({ choices: null, base_resp: { status_code: 1008, status_msg: 'no balance' } }),
    )
    const client = clientOf(fetch, { provider: 'minimax', apiKey: 'key-for-tests' })
    await expect(client.complete({ messages })).rejects.toMatchObject({ code: 'quota_exhausted' })
  })

  it('may be streams whose server forgets to hang up', async () => {
    const bytes = new TextEncoder().encode(await sse({ content: 'Hello.' })().text())
    const open = new ReadableStream({ start: (controller) => controller.enqueue(bytes) })
    const headers = { 'content-type': 'text/event-stream' }
    const client = clientOf(async () => new Response(open, { headers }))
    expect((await client.stream({ messages }).response).message.content).toBe('Hello.')
  })
})

describe('a stream', () => {
  it('can be awaited first and read later, or both at once', async () => {
    const { fetch, sent } = scripted(sse({ content: 'Hello' }, { content: ' there.' }))
    const stream = clientOf(fetch).stream({ messages })
    const { response } = stream
    const [{ message }, events] = await Promise.all([response, collect(stream)])
    expect(message.content).toBe('Hello there.')
    expect(events.at(-1)?.type).toBe('finish')
    expect(events.length).toBeGreaterThan(2)
    expect(sent).toHaveLength(1)
  })

  it('sends nothing as long as nobody reads', async () => {
    const { fetch, sent } = scripted(sse({ content: 'Hello' }))
    clientOf(fetch).stream({ messages })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(sent).toHaveLength(0)
  })
})

describe('StackSpot', () => {
  const settings = { realm: 'mountains', clientId: 'hiker', clientSecret: 'edelweiss-secret' }
  const text = '~~~tool_call\n{"name": "find_peak", "arguments": {"name": "Watzmann"}}\n~~~'
  const answer = () =>
    Response.json({ message: text, stop_reason: 'stop', tokens: { user: 40, output: 9 } })
  const token = () => Response.json({ access_token: 'bought-token', expires_in: 1200 })

  it('has tools through text, whole and streamed, with one token', async () => {
    const { fetch, sent } = scripted(token, answer)
    const client = createClient({
      provider: 'stackspot',
      model: 'agent-1',
      settings,
      env: {},
      fetch,
    })
    expect(client.capabilities).toEqual({
      nativeTools: false,
      streamsTools: false,
      toolMode: 'text',
    })
    const whole = await client.complete({ messages, tools })
    const streamed = await client.stream({ messages, tools }).response
    for (const { message, usage } of [whole, streamed]) {
      expect(message.toolCalls).toMatchObject([{ name: 'find_peak' }])
      expect(usage).toEqual({ inputTokens: 40, outputTokens: 9, totalTokens: 49 })
    }
    expect(sent.map(({ url }) => url)).toEqual([
      'https://idm.stackspot.com/mountains/oidc/oauth/token',
      'https://genai-inference-app.stackspot.com/v1/agent/agent-1/chat',
      'https://genai-inference-app.stackspot.com/v1/agent/agent-1/chat',
    ])
    expect(sent[1]?.headers.get('authorization')).toBe('Bearer bought-token')
    const prompt = String(sent[1]?.body['user_prompt'])
    expect(prompt).toContain('find_peak')
    expect(prompt.endsWith('How high is the Watzmann?')).toBe(true)
  })

  it('says who speaks when there is more than one message', async () => {
    const { fetch, sent } = scripted(token, answer)
    const client = createClient({ provider: 'stackspot', model: 'a', settings, env: {}, fetch })
    const call = {
      id: 'a',
      name: 'find_peak',
      arguments: { name: 'Zugspitze' },
      origin: 'text',
    } as const
    await client.complete({
      messages: [
        ...messages,
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', content: '', toolResults: [{ callId: 'a', content: '2962 m' }] },
      ],
      tools,
    })
    expect(sent[1]?.body['user_prompt']).toMatch(
      /User: How high.*\n\nAssistant: ~~~tool_call\n.*Zugspitze.*\n~~~\n\nUser: ~~~tool_result\nfind_peak:\n2962 m\n~~~$/s,
    )
  })

  it('says what is missing', () => {
    const { fetch } = scripted(answer)
    const client = createClient({ provider: 'stackspot', model: 'a', env: {}, fetch })
    return expect(client.complete({ messages })).rejects.toThrow(/STACKSPOT_CLIENT_ID/)
  })
})

describe('proof of who is asking', () => {
  it('is a signature for AWS, unless there is a key', async () => {
    const { fetch, sent } = scripted(() => new Response('{}', { status: 400 }))
    const env = {
      AWS_REGION: 'eu-north-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret-of-the-key',
    }
    const options = {
      provider: 'bedrock',
      model: 'amazon.nova-lite-v1:0',
      retries: 0,
      fetch,
    } as const
    await createClient({ ...options, env })
      .complete({ messages })
      .catch(() => {})
    await createClient({ ...options, env, apiKey: 'key-for-tests' })
      .complete({ messages })
      .catch(() => {})
    expect(sent[0]?.url).toBe(
      'https://bedrock-runtime.eu-north-1.amazonaws.com/model/amazon.nova-lite-v1%3A0/converse',
    )
    expect(sent[0]?.headers.get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-north-1\/bedrock\/aws4_request, /,
    )
    expect(sent[1]?.headers.get('authorization')).toBe('Bearer key-for-tests')
  })

  it('is bought anew when it is not believed', async () => {
    let orders = 0
    const { fetch } = scripted(() => Response.json({ error: { message: 'no' } }, { status: 401 }))
    const client = createClient({
      provider: 'github-copilot',
      model: 'gpt-4.1',
      apiKey: 'gh-for-tests',
      settings: { integrationId: 'my-editor' },
      env: {},
      fetch: (url, init) => {
        if (!String(url).includes('/token')) return fetch(url, init)
        orders++
        return Promise.resolve(Response.json({ token: `bought-${orders}`, expires_at: 1e11 }))
      },
    })
    await Promise.allSettled([client.complete({ messages }), client.complete({ messages })])
    expect(orders).toBe(1)
    await client.complete({ messages }).catch(() => {})
    expect(orders).toBe(2)
  })

  it('says who is calling where the service wants to know', async () => {
    const token = () => Response.json({ token: 'bought' })
    const { fetch, sent } = scripted(token, chat('Hi.'), token, chat('Hi.'))
    const options = { provider: 'github-copilot', model: 'gpt-4.1', apiKey: 'gh-for-tests', fetch }
    expect(() => createClient({ ...options, env: {} })).toThrow(
      'GitHub Copilot needs the id of the integration that is calling: ' +
        'pass settings.integrationId or set COPILOT_INTEGRATION_ID',
    )
    const env = { COPILOT_INTEGRATION_ID: 'my editor' }
    await createClient({ ...options, env }).complete({ messages })
    expect(sent[1]?.headers.get('copilot-integration-id')).toBe('my editor')
    expect(sent[1]?.headers.get('editor-version')).toMatch(/^toolglot\//)
    const headers = { 'Copilot-Integration-Id': 'from-a-header' }
    await createClient({ ...options, env: {}, headers }).complete({ messages })
    expect(sent.at(-1)?.headers.get('copilot-integration-id')).toBe('from-a-header')
  })

  it.for<[what: string, answer: () => Response, code: string]>([
    ['too long', () => new Response('x'.repeat(300_000)), 'transport'],
    ['elsewhere', () => Response.redirect('http://elsewhere.test/', 307), 'server_error'],
    ['no token', () => Response.json({ hello: 'there' }), 'unauthorized'],
    [
      'a refusal',
      () => Response.json({ message: 'bad gh-for-tests' }, { status: 403 }),
      'unauthorized',
    ],
  ])('is not what was asked for: %s', async ([, answer, code]) => {
    const { fetch, sent } = scripted(answer)
    const client = createClient({
      provider: 'github-copilot',
      model: 'gpt-4.1',
      apiKey: 'gh-for-tests',
      settings: { integrationId: 'my-editor' },
      env: {},
      retries: 0,
      fetch,
    })
    const error = await client.complete({ messages }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code, provider: 'github-copilot' })
    expect(String(error)).not.toContain('gh-for-tests')
    expect(sent).toHaveLength(1)
  })

  it('is in the headers of the caller, or comes from a function', async () => {
    const { fetch, sent } = scripted(chat('Hi.'))
    const options = { provider: 'openai', model: 'gpt-4.1', env: {}, fetch } as const
    await createClient({ ...options, headers: { Authorization: 'Custom 1' } }).complete({
      messages,
    })
    await createClient({ ...options, apiKey: async () => 'fresh' }).complete({ messages })
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Custom 1',
      'Bearer fresh',
    ])
  })
})

describe('an address', () => {
  it.for([
    ['10.0.0.7:11500', 'http://10.0.0.7:11500/api/chat'],
    ['10.0.0.7', 'http://10.0.0.7:11434/api/chat'],
    ['10.0.0.7:80', 'http://10.0.0.7/api/chat'],
    ['http://models.test', 'http://models.test/api/chat'],
    ['https://models.test/under/', 'https://models.test/under/api/chat'],
  ])('may come from the environment, and may be just a host: %s', async ([host = '', url]) => {
    const { fetch, sent } = scripted(() => new Response('', { status: 400 }))
    const env = { OLLAMA_HOST: host }
    const client = createClient({ provider: 'ollama', model: 'm', env, fetch })
    await client.complete({ messages }).catch(() => {})
    expect(sent[0]?.url).toBe(url)
  })
})

describe('a base URL', () => {
  it('may have a query of its own', async () => {
    const { fetch, sent } = scripted(chat('Hi.'))
    const baseUrl = 'http://models.test/openai/deployments/one/?api-version=2024-10-21'
    await clientOf(fetch, { baseUrl }).complete({ messages })
    expect(sent[0]?.url).toBe(
      'http://models.test/openai/deployments/one/chat/completions?api-version=2024-10-21',
    )
  })

  it('may be an old one, which is told, for keys do not follow', async () => {
    const headers = { location: 'http://elsewhere.test/' }
    const { fetch, sent } = scripted(() => new Response(null, { status: 308, headers }))
    await expect(clientOf(fetch).complete({ messages })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('base URL'),
    })
    expect(sent).toHaveLength(1)
  })

  it('has no password in it', () => {
    const baseUrl = 'http://me:secret-password@models.test/v1'
    expect(() => clientOf(fetch, { baseUrl })).toThrow(/^(?!.*secret-password).*password/)
  })
})

describe('mistakes of the caller', () => {
  it('are told at once', () => {
    const make = (options: Partial<ClientOptions>) => () =>
      createClient({ provider: 'openai', model: 'm', env: {}, ...options })
    expect(make({ provider: 'openay' })).toThrow(/unknown provider "openay"/)
    expect(make({ provider: 'openai-compatible' })).toThrow(/pass baseUrl/)
    expect(make({ provider: 'azure-openai' })).toThrow(/settings\.resource or set AZURE_/)
    expect(make({ baseUrl: 'http://:no' })).toThrow(TypeError)
    expect(make({ protocol: 'nothing' })).toThrow(/unknown protocol/)
  })
})
