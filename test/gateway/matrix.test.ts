/** Every kind of client with every kind of provider: what goes in comes out, in the client's own dialect. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRequest, ChatResponse, ToolChoice } from '../../src/core/chat.ts'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import type { Message, Part, Tool, ToolCall, ToolResult } from '../../src/core/model.ts'
import { ollamaGenerate } from '../../src/dialects/ollama/generate.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import type { Fault } from '../../src/testing/faults.ts'
import { checkHistory } from '../../src/testing/index.ts'
import {
  ASKERS,
  type Asker,
  ask,
  askerNamed,
  eventsIn,
  replyIn,
} from '../support/gateway-askers.ts'
import {
  type GatewayRig,
  SERVICES,
  type ServiceId,
  startRig,
  UPSTREAM_KEY,
  usualConfig,
} from '../support/gateway-services.ts'
import { STREAM_SHAPES } from '../support/gateway-shapes.ts'

let rig: GatewayRig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.close())

const weather: Tool = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
}
const clock: Tool = {
  name: 'get_time',
  description: 'The time in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const tools = [weather, clock]

function call(id: string, name: string, args: ToolCall['arguments']): ToolCall {
  return { id, name, arguments: args, origin: 'native' }
}

function reply(message: Partial<Message>, more: Partial<ChatResponse> = {}): ChatResponse {
  const calls = message.toolCalls ?? []
  return {
    id: 'reply_1',
    model: 'scripted',
    message: { role: 'assistant', content: '', ...message },
    finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
    usage: { inputTokens: 12, outputTokens: 7, totalTokens: 19 },
    issues: [],
    ...more,
  }
}

/** What every dialect can say about a reply. */
function gist({ message, finishReason, usage }: ChatResponse) {
  const { content, reasoning = '', toolCalls = [] } = message
  return {
    text: typeof content === 'string' ? content : JSON.stringify(content),
    reasoning,
    calls: toolCalls.map(({ name, arguments: args }) => ({ name, args })),
    finishReason,
    tokens: [usage.inputTokens, usage.outputTokens],
  }
}

const OSLO = call('call_aaaa1', 'get_weather', { city: 'Oslo “ø” 😀\n', days: 2 })
const TIME = call('call_bbbb2', 'get_time', { city: 'Bergen' })

interface Scenario {
  readonly name: string
  readonly says: ChatResponse
  /** What the client reads when that is something else. */
  readonly means?: ChatResponse
  readonly isText?: boolean
}

const LEAKS: readonly Scenario[] = [
  {
    name: 'a call leaked as text (hermes)',
    says: reply({
      content:
        'Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": "2"}}\n</tool_call>',
    }),
    means: reply({
      content: 'Let me look.\n',
      toolCalls: [call('x', 'get_weather', { city: 'Oslo', days: 2 })],
    }),
  },
  {
    name: 'calls leaked as text (kimi, in sections)',
    says: reply({
      content:
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_call_begin|>functions.get_time:1<|tool_call_argument_begin|>{"city": "Bergen"}<|tool_call_end|><|tool_calls_section_end|>',
    }),
    means: reply({
      toolCalls: [
        call('x', 'get_weather', { city: 'Oslo' }),
        call('y', 'get_time', { city: 'Bergen' }),
      ],
    }),
  },
]

const SCENARIOS: readonly Scenario[] = [
  { name: 'text', says: reply({ content: 'Down the hill, “ø” 😀.\n\nThen left.' }), isText: true },
  {
    name: 'text that was cut off',
    says: reply({ content: 'And so' }, { finishReason: 'length' }),
    isText: true,
  },
  {
    name: 'reasoning',
    says: reply({ content: 'Left.', reasoning: 'Left or right?\nLeft.' }),
    isText: true,
  },
  { name: 'a call', says: reply({ toolCalls: [OSLO] }) },
  {
    name: 'text and parallel calls',
    says: reply({ content: 'I will look.', toolCalls: [OSLO, TIME] }),
  },
  {
    name: 'reasoning and a call',
    says: reply({ reasoning: 'I should look.', toolCalls: [TIME] }),
  },
  ...LEAKS,
]

const question: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather in Oslo?' },
]

function requestFor(service: ServiceId, { hasTools }: Asker): ChatRequest {
  return { model: `my-${service}`, messages: question, ...(hasTools && { tools }) }
}

const CELLS = ASKERS.flatMap((client) =>
  SERVICES.map((service) => [client.id, service, client] as const),
)

describe.each(CELLS)('%s client, %s provider', (_, service, client) => {
  test.for(SCENARIOS.filter(({ isText }) => isText || client.hasTools))(
    '$name',
    async (scenario) => {
      const { says, means = says } = scenario
      rig.upstream.play({ reply: says })
      const request = requestFor(service, client)
      const whole = replyIn(await ask(rig.url, client, request, false), client, false)
      expect(gist(whole)).toEqual(gist(means))
      const stream = await ask(rig.url, client, request, true)
      expect(gist(replyIn(stream, client, true))).toEqual(gist(whole))
      expect(STREAM_SHAPES[client.dialect.id]?.(client.frames(stream.text))).toEqual([])
    },
  )
})

// ── calls in reasoning ──────────────────────────────────────────────────────────────────────────

const THOUGHT =
  'It is Oslo.\n<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'

describe.each(CELLS.filter(([, , { hasTools }]) => hasTools))(
  '%s client, %s provider, reasoning',
  (_, service, client) => {
    test.for([
      ['a call that ends it is made', '', 1, 'hermes', null],
      ['before text it is a draft', 'It rains.', 0, null, 'reasoning-call'],
    ] as const)('%s', async ([, content, count, rescued, issues]) => {
      rig.upstream.play({ reply: reply({ reasoning: THOUGHT, content }) })
      const request = requestFor(service, client)
      const answer = await ask(rig.url, client, request, false)
      // What came in pieces was passed on before its end was known, so there the call is in it.
      const { reasoning: __, ...whole } = gist(replyIn(answer, client, false))
      const calls = [{ name: 'get_weather', args: { city: 'Oslo' } }].slice(0, count)
      const finishReason = count > 0 ? 'tool-calls' : 'stop'
      expect(whole).toMatchObject({ text: content, calls, finishReason })
      expect(answer.headers.get('x-toolglot-rescued')).toBe(rescued)
      expect(answer.headers.get('x-toolglot-issues')).toBe(issues)
      const stream = await ask(rig.url, client, request, true)
      const { reasoning, ...streamed } = gist(replyIn(stream, client, true))
      expect(streamed).toEqual(whole)
      expect(reasoning).toBe(THOUGHT)
      expect(STREAM_SHAPES[client.dialect.id]?.(client.frames(stream.text))).toEqual([])
    })
  },
)

// ── what arrives at the provider ────────────────────────────────────────────────────────────────

const MAP = 'iVBORw0KGgoAAAANSUhEUg=='
const PHOTO = 'iVBORw0KGgoAAAANSUhEUw=='

const history: Message[] = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Where is this?' },
      { type: 'image', mediaType: 'image/png', data: PHOTO },
    ],
  },
  { role: 'assistant', content: 'I will look.', toolCalls: [OSLO, TIME] },
  {
    role: 'tool',
    content: '',
    toolResults: [
      {
        callId: OSLO.id,
        name: OSLO.name,
        content: [
          { type: 'text', text: 'A map of Oslo.' },
          { type: 'image', mediaType: 'image/png', data: MAP },
        ],
      },
      { callId: TIME.id, name: TIME.name, content: 'there is no clock', isError: true },
    ],
  },
  { role: 'assistant', content: 'It is Oslo.' },
  { role: 'user', content: 'And now?' },
]

/** The body that the provider was sent. */
async function arrived(client: Asker, request: ChatRequest, streamed = false): Promise<JsonObject> {
  rig.upstream.play({ reply: 'Fine.' })
  const answer = await ask(rig.url, client, request, streamed)
  expect(answer.status, answer.text).toBe(200)
  return rig.upstream.requests.at(-1)?.body ?? {}
}

function words(content: string | readonly Part[]): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Who says what, what is called, and how it was answered; pictures are looked for elsewhere. */
function conversation({ messages }: ChatRequest) {
  const ids = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
  return messages
    .map(({ role, content, toolCalls = [], toolResults = [] }) => ({
      role,
      text: words(content),
      calls: toolCalls.map(({ name, arguments: args }) => ({ name, args })),
      results: toolResults.map((result) => ({
        of: ids.indexOf(result.callId),
        text: resultWords(result),
        isError: result.isError ?? false,
      })),
    }))
    .filter(({ text, calls, results }) => text !== '' || calls.length > 0 || results.length > 0)
    .filter(({ text }) => text !== BRIDGE)
}

/** What the assistant says between results and a user where it must say something. */
const BRIDGE = 'Understood.'

function resultWords({ content }: ToolResult): string {
  return words(content)
    .replace(/\[image[^\]]*\]/g, '')
    .trim()
}

const CALLING_CELLS = CELLS.filter(([, , { hasTools }]) => hasTools)

describe.each(CALLING_CELLS)('%s client, %s provider, on the way there', (_, service, client) => {
  const dialect = getDialect(service)

  test('a history with calls, a picture in a result and an error arrives', async () => {
    const request = { model: `my-${service}`, messages: history, tools }
    const body = await arrived(client, request)
    expect(checkHistory(body, service)).toEqual([])
    const read = dialect.decodeRequest(body)
    expect(conversation(read)).toEqual(conversation(request))
    const text = JSON.stringify(body)
    expect(text.split(PHOTO)).toHaveLength(2)
    expect(text.split(MAP)).toHaveLength(2)
    expect(read.tools?.map(({ name, description }) => ({ name, description }))).toEqual(
      tools.map(({ name, description }) => ({ name, description })),
    )
  })
})

/** Settings that a kind of client has no words for. */
const UNASKABLE: Readonly<Record<string, readonly string[]>> = { 'openai-responses': ['stop'] }
/** The same for providers. */
const UNTELLABLE: Partial<Readonly<Record<ServiceId, readonly string[]>>> = {
  'openai-responses': ['stop'],
}

function without(settings: JsonObject, names: readonly string[] = []): JsonObject {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)))
}

describe.each(CELLS)('%s client, %s provider, settings', (_, service, client) => {
  test.for([false, true])('streamed: %s', async (streamed) => {
    const settings = { maxTokens: 321, temperature: 0.25, stop: ['END'] }
    const body = await arrived(client, { ...requestFor(service, client), ...settings }, streamed)
    const sayable = without(without(settings, UNASKABLE[client.id]), UNTELLABLE[service])
    // Passed on as it is.
    const spoken = 'prompt' in body ? ollamaGenerate : getDialect(service)
    expect(spoken.decodeRequest(body)).toMatchObject(sayable)
  })
})

/** How a choice arrives: as it is, or, where the provider knows no such choice, by leaving tools out. */
interface ToldChoice {
  readonly choice: ToolChoice | undefined
  readonly tools: number
}
type TellChoice = (choice: ToolChoice) => ToldChoice

const tellChoice: TellChoice = (choice) => ({ choice, tools: 2 })
const CHOICES: Partial<Readonly<Record<ServiceId, TellChoice>>> = {
  ollama: (choice) => ({
    choice: undefined,
    tools: choice === 'none' ? 0 : choice === 'required' ? 2 : 1,
  }),
  bedrock: (choice) => (choice === 'none' ? { choice: undefined, tools: 0 } : tellChoice(choice)),
  cohere: (choice) =>
    typeof choice === 'string' ? tellChoice(choice) : { choice: 'required', tools: 1 },
}

// Clients of Ollama cannot choose.
const CHOOSING_CELLS = CALLING_CELLS.filter(([id]) => id !== 'ollama')

describe.each(CHOOSING_CELLS)('%s client, %s provider, choice of tools', (_, service, client) => {
  test.for(['none', 'required', { name: 'get_time' }] as const)('%j', async (toolChoice) => {
    const body = await arrived(client, { ...requestFor(service, client), toolChoice })
    const read = getDialect(service).decodeRequest(body)
    const told = (CHOICES[service] ?? tellChoice)(toolChoice)
    expect({ choice: read.toolChoice, tools: read.tools?.length ?? 0 }).toEqual(told)
  })
})

// ── errors ──────────────────────────────────────────────────────────────────────────────────────

interface RefusalCase {
  readonly name: string
  readonly fault: Extract<Fault, { kind: 'status' }>
  readonly status: number
  /** `type` and `code` of OpenAI, `type` of Anthropic, `status` of Gemini. */
  readonly openai: readonly [type: string, code: string]
  readonly anthropic: string
  readonly gemini: string
}

const REFUSALS: readonly RefusalCase[] = [
  {
    name: 'a key that is refused is ours and not the client’s',
    fault: { kind: 'status', status: 401, message: `bad key ${UPSTREAM_KEY}` },
    status: 502,
    openai: ['server_error', 'unauthorized'],
    anthropic: 'api_error',
    gemini: 'INTERNAL',
  },
  {
    name: 'a model that is not there',
    fault: { kind: 'status', status: 404, message: 'model not found' },
    status: 404,
    openai: ['invalid_request_error', 'model_not_found'],
    anthropic: 'not_found_error',
    gemini: 'NOT_FOUND',
  },
  {
    name: 'too many requests',
    fault: { kind: 'status', status: 429, message: 'slow down', retryAfter: 7 },
    status: 429,
    openai: ['rate_limit_error', 'rate_limit_exceeded'],
    anthropic: 'rate_limit_error',
    gemini: 'RESOURCE_EXHAUSTED',
  },
  {
    name: 'a conversation that is too long',
    fault: { kind: 'status', status: 400, message: 'the maximum context length is 8192 tokens' },
    status: 400,
    openai: ['invalid_request_error', 'context_length_exceeded'],
    anthropic: 'invalid_request_error',
    gemini: 'INVALID_ARGUMENT',
  },
  {
    name: 'a request that is refused',
    fault: { kind: 'status', status: 400, message: 'temperature must be positive' },
    status: 400,
    openai: ['invalid_request_error', 'bad_request'],
    anthropic: 'invalid_request_error',
    gemini: 'INVALID_ARGUMENT',
  },
  {
    name: 'a provider that fails',
    fault: { kind: 'status', status: 500, message: 'oops' },
    status: 502,
    openai: ['server_error', 'server_error'],
    anthropic: 'api_error',
    gemini: 'INTERNAL',
  },
  {
    name: 'a provider that is too busy',
    fault: { kind: 'status', status: 529, message: 'busy', retryAfter: 30 },
    status: 503,
    openai: ['server_error', 'overloaded'],
    anthropic: 'overloaded_error',
    gemini: 'UNAVAILABLE',
  },
]

const openaiShape = ({ openai: [type, code] }: RefusalCase, message: string): JsonObject => ({
  error: { message, type, param: null, code },
})
const googleShape = (
  { gemini: status, status: code }: RefusalCase,
  message: string,
): JsonObject => ({
  error: { code, message, status },
})
const ollamaShape = (_: RefusalCase, error: string): JsonObject => ({ error })

/** The whole body of an error by the dialect of the client. */
const ERROR_SHAPES: Readonly<
  Record<string, (refusal: RefusalCase, message: string) => JsonObject>
> = {
  'openai-chat': openaiShape,
  'openai-responses': openaiShape,
  anthropic: ({ anthropic: type }, message) => ({ type: 'error', error: { type, message } }),
  ollama: ollamaShape,
  gemini: googleShape,
  'google-interactions': googleShape,
}

function messageIn(body: JsonObject): string {
  const { error } = body
  const message = isJsonObject(error) ? error['message'] : error
  return typeof message === 'string' ? message : ''
}

describe.each(CELLS)('%s client, %s provider, refusals', (_, service, client) => {
  test.for(REFUSALS)('$name', async (refusal) => {
    const { fault, status } = refusal
    for (const streamed of [false, true]) {
      rig.upstream.play({ fault })
      const answer = await ask(rig.url, client, requestFor(service, client), streamed)
      const isBusy = status === 503 && client.dialect.id === 'anthropic'
      expect(answer.status, answer.text).toBe(isBusy ? 529 : status)
      const body: JsonObject = JSON.parse(answer.text)
      const message = messageIn(body)
      expect(body).toEqual(ERROR_SHAPES[client.dialect.id]?.(refusal, message))
      expect(message).toContain(`status ${fault.status}`)
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.headers.get('retry-after')).toBe(fault.retryAfter?.toString() ?? null)
      expect(answer.headers.get('x-request-id')).toBe('req_scripted')
      expect(answer.text).not.toContain(UPSTREAM_KEY)
    }
  })

  test('an error inside a stream', async () => {
    const story = 'Down the hill, past the old mill, and then along the water to the lighthouse.'
    rig.upstream.play({ fault: { kind: 'error-in-stream' }, reply: story })
    const answer = await ask(rig.url, client, requestFor(service, client), true)
    expect(answer.status).toBe(200)
    const events = eventsIn(answer.text, client)
    const texts = events.map((event) => (event.type === 'text-delta' ? event.text : ''))
    expect(texts.join('')).not.toBe('')
    expect(story.startsWith(texts.join(''))).toBe(true)
    const last = events.at(-1)
    expect(last?.type === 'error' && last.error.message).toContain('overloaded')
    expect(events.filter(({ type }) => type === 'finish' || type === 'error')).toHaveLength(1)
  })
})

// ── what only some can say ──────────────────────────────────────────────────────────────────────

test('a client of OpenAI is told what a stream cost only if it asks', async () => {
  const client = askerNamed('openai-chat')
  rig.upstream.play({ reply: 'Fine.' })
  const body = client.body(requestFor('anthropic', client), true)
  const send = async (options: JsonObject): Promise<string> => {
    const url = rig.url + client.path('my-anthropic', true)
    const { stream_options: _, ...rest } = body
    const sent = JSON.stringify({ ...rest, ...options })
    return (await fetch(url, { method: 'POST', body: sent })).text()
  }
  expect(await send({})).not.toContain('"usage"')
  expect(await send({ stream_options: { include_usage: true } })).toContain('"usage"')
})

test('only the formats are looked for that the configuration names', async () => {
  const picky = await startRig({
    config: (url) => ({ ...usualConfig(url), rescue: { protocols: ['hermes'] } }),
  })
  const client = askerNamed('openai-chat')
  const [hermes, kimi] = LEAKS
  for (const service of ['openai-chat', 'cohere'] as const) {
    for (const streamed of [false, true]) {
      for (const [leak, isFound] of [
        [hermes, true],
        [kimi, false],
      ] as const) {
        if (!leak) throw new Error('there is no such leak')
        picky.upstream.play({ reply: leak.says })
        const answer = await ask(picky.url, client, requestFor(service, client), streamed)
        const wanted = isFound ? (leak.means ?? leak.says) : leak.says
        expect(gist(replyIn(answer, client, streamed))).toEqual(gist(wanted))
      }
    }
  }
  await picky.close()
})
