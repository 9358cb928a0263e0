import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import type { ChatClient, ClientRequest, RequestOptions } from './chat-client.ts'
import { createChatStream } from './chat-stream.ts'
import { ProviderError, type ProviderErrorCode, type ProviderErrorFields } from './errors.ts'
import {
  createFallback,
  FallbackError,
  type FallbackOptions,
  type SwitchEvent,
} from './fallback.ts'
import { replyEvents } from './reply-events.ts'
import { streamFailure } from './stream-failure.ts'

const REQUEST: ClientRequest = { messages: [{ role: 'user', content: 'Which bridges are shut?' }] }
const WITH_TOOLS: ClientRequest = {
  ...REQUEST,
  tools: [{ name: 'find_bridges', inputSchema: { type: 'object' } }],
}

/** What a client does when it is asked: it says something, or fails, or does as it is told. */
type Act = string | Error | ChatResponse | ((options: RequestOptions) => Promise<ChatResponse>)

interface Scripted extends ChatClient {
  /** What it was asked. */
  readonly asked: { readonly request: ClientRequest; readonly options: RequestOptions }[]
  /** What it does from now on; the last act again and again. */
  play(...acts: readonly Act[]): void
  tools: boolean
}

function scripted(name: string, ...acts: readonly Act[]): Scripted {
  const [provider = name, model = `${provider}-large`] = name.split('/')
  const asked: Scripted['asked'] = []
  let left: readonly Act[] = acts.length > 0 ? acts : [`${name} speaks`]

  async function complete(request: ClientRequest, options: RequestOptions = {}) {
    asked.push({ request, options })
    options.signal?.throwIfAborted()
    const [act = '', ...rest] = left
    if (rest.length > 0) left = rest
    if (act instanceof Error) throw act
    if (typeof act === 'function') return act(options)
    return typeof act === 'string' ? said(act) : act
  }

  return {
    provider,
    model,
    asked,
    tools: true,
    get capabilities() {
      const { tools } = this
      return {
        nativeTools: tools,
        streamsTools: true,
        toolMode: tools ? 'native' : 'text',
      } as const
    },
    play(...next) {
      left = next
    },
    complete,
    stream: (request, options) =>
      createChatStream(async function* (ending) {
        try {
          const response = await complete(request, options)
          ending.resolve(response)
          yield* replyEvents(response, 6)
        } catch (error) {
          ending.reject(error)
          yield { type: 'error', error: streamFailure(error) }
        }
      }),
  }
}

function said(content: string): ChatResponse {
  const message = { role: 'assistant', content } as const
  return { message, finishReason: 'stop', usage: {}, issues: [] }
}

function failure(code: ProviderErrorCode, fields?: ProviderErrorFields): ProviderError {
  return new ProviderError(code, `it is ${code}`, fields)
}

function deferred(): { promise: Promise<ChatResponse>; resolve(response: ChatResponse): void } {
  let resolve: (response: ChatResponse) => void = () => {}
  const promise = new Promise<ChatResponse>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** A chain whose clock stands still unless it waits or is moved. */
function chainOf(clients: Parameters<typeof createFallback>[0], options: FallbackOptions = {}) {
  let time = 1_000_000
  const waits: number[] = []
  const switches: string[] = []
  const chain = createFallback(clients, {
    now: () => time,
    random: () => 0,
    sleep: async (ms) => {
      waits.push(ms)
      time += ms
    },
    onSwitch: ({ from, to, error }: SwitchEvent) =>
      switches.push(`${from.provider} → ${to.provider}: ${error.code}`),
    ...options,
  })
  return {
    chain,
    waits,
    switches,
    pass: (ms: number) => {
      time += ms
    },
    ask: async (request = REQUEST) => (await chain.complete(request)).message.content,
  }
}

const counts = (...clients: readonly Scripted[]): number[] =>
  clients.map(({ asked }) => asked.length)

async function eventsOf(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

function textIn(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

describe('the order', () => {
  test('while the first answers, the others are not asked', async () => {
    const [first, second] = [scripted('alder'), scripted('birch')]
    const { ask, switches } = chainOf([first, second])
    expect(await ask()).toBe('alder speaks')
    expect(counts(first, second)).toEqual([1, 0])
    expect(switches).toEqual([])
  })

  test('the lowest priority number comes first, then the order of the list', async () => {
    const [a, b, c, d] = [scripted('a'), scripted('b'), scripted('c'), scripted('d')]
    const { chain } = chainOf([
      { client: a, priority: 2 },
      { client: b, priority: 1 },
      { client: c, priority: 1 },
      d,
    ])
    expect(chain.health().map(({ provider }) => provider)).toEqual(['d', 'b', 'c', 'a'])
  })

  test('each client answers with its own model and leaves trying again to the chain', async () => {
    const client = scripted('alder')
    const { chain } = chainOf([client])
    await chain.complete({ ...REQUEST, model: 'another' })
    expect(client.asked[0]?.request).toEqual(REQUEST)
    expect(client.asked[0]?.options.retries).toBe(0)
  })
})

describe('what an error means', () => {
  test.for<[ProviderErrorCode, asked: [number, number], cooldownMs: number]>([
    ['rate_limited', [6, 1], 30_000],
    ['overloaded', [6, 1], 30_000],
    ['server_error', [6, 1], 30_000],
    ['transport', [6, 1], 30_000],
    ['timeout', [2, 1], 30_000],
    ['quota_exhausted', [1, 1], 300_000],
    ['unauthorized', [1, 1], 300_000],
    ['not_found', [1, 1], 300_000],
    ['context_length_exceeded', [1, 1], 0],
    ['unsupported', [1, 1], 0],
    ['bad_request', [1, 0], 0],
  ])('%s', async ([code, asked, cooldownMs]) => {
    const [first, second] = [scripted('alder', failure(code)), scripted('birch')]
    const { chain, ask, switches } = chainOf([first, second], { retries: 5 })
    const answer = await ask().catch((error: unknown) => error)
    expect(counts(first, second)).toEqual(asked)
    expect(answer).toEqual(asked[1] === 1 ? 'birch speaks' : failure(code))
    expect(switches).toEqual(asked[1] === 1 ? [`alder → birch: ${code}`] : [])
    expect(chain.health()[0]).toMatchObject({ cooldownMs, failures: cooldownMs > 0 ? 1 : 0 })
  })

  test.for([
    "Unsupported parameter: 'max_tokens' is not supported with this model.",
    "Unsupported value: 'temperature' does not support 0.2 with this model.",
    'Unknown parameter: tools.defer_loading',
    'thinking.adaptive.block_binding: Extra inputs are not permitted',
    'Invalid JSON payload received. Unknown name "x": Cannot find field.',
    'This model does not support image inputs',
    'At most 0 image(s) may be provided: google/gemma is not a multimodal model',
    'No endpoints found that support image input',
    '`logprobs` is not supported by this model',
  ])('a limit of one model is no reason to give up, nor to avoid it: %s', async (message) => {
    const fault = new ProviderError('bad_request', message, { status: 400 })
    const [first, second] = [scripted('alder', fault), scripted('birch')]
    const { chain, ask } = chainOf([first, second], { retries: 5 })
    expect(await ask()).toBe('birch speaks')
    expect(counts(first, second)).toEqual([1, 1])
    expect(chain.health()[0]).toMatchObject({ cooldownMs: 0, failures: 0 })
    const both = chainOf([scripted('alder', fault), scripted('birch', fault)])
    await expect(both.ask()).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(message),
    })
  })

  test.for(['messages: at least one message is required', 'invalid type for max_tokens'])(
    'a mistake in the request is the same everywhere: %s',
    async (message) => {
      const fault = new ProviderError('bad_request', message, { status: 400 })
      const [first, second] = [scripted('alder', fault), scripted('birch')]
      await expect(chainOf([first, second]).ask()).rejects.toThrow(message)
      expect(counts(first, second)).toEqual([1, 0])
    },
  )

  test('a call that the service could not read is tried once more, and nobody is blamed', async () => {
    const fault = failure('bad_request', { retryable: true })
    const [first, second] = [scripted('alder', fault), scripted('birch')]
    const { chain, ask } = chainOf([first, second], { retries: 5 })
    expect(await ask()).toBe('birch speaks')
    expect(counts(first, second)).toEqual([2, 1])
    expect(chain.health()[0]?.state).toBe('ready')
  })

  test('so is an empty reply that ended with an error', async () => {
    const empty: ChatResponse = { ...said(''), finishReason: 'error', stopReason: 'MALFORMED' }
    const [first, second] = [scripted('alder', empty), scripted('birch')]
    const { ask } = chainOf([first, second])
    expect(await ask()).toBe('birch speaks')
    expect(counts(first, second)).toEqual([2, 1])
    const { chain } = chainOf([scripted('alder', empty), scripted('birch')])
    expect(textIn(await eventsOf(chain.stream(REQUEST)))).toBe('birch speaks')
  })

  test('a provider that says that trying again is of no use is believed', async () => {
    const first = scripted('alder', failure('server_error', { retryable: false }))
    const { ask } = chainOf([first, scripted('birch')])
    expect(await ask()).toBe('birch speaks')
    expect(counts(first)).toEqual([1])
  })

  test('the caller may decide otherwise', async () => {
    const failsOver = ({ code }: ProviderError) => (code === 'bad_request' ? true : undefined)
    const { ask } = chainOf([scripted('alder', failure('bad_request')), scripted('birch')], {
      failsOver,
    })
    expect(await ask()).toBe('birch speaks')
  })

  test('what is too long for one is not tried with another that reads no more', async () => {
    const tooLong = failure('context_length_exceeded')
    const [small, same, large] = [scripted('s', tooLong), scripted('t'), scripted('l')]
    const { ask } = chainOf([
      { client: small, contextWindow: 8000 },
      { client: same, contextWindow: 8000 },
      { client: large, contextWindow: 200_000 },
    ])
    expect(await ask()).toBe('l speaks')
    expect(counts(small, same, large)).toEqual([1, 0, 1])
  })

  test.for<[thrown: Error, ProviderErrorCode]>([
    [new Error('rate limit reached, slow down'), 'rate_limited'],
    [new Error('the request timed out'), 'timeout'],
    [new Error('invalid API key'), 'unauthorized'],
    [new Error('the model alder-9 was not found'), 'not_found'],
    [
      new Error('maximum context length is 8192 tokens, you sent 15003 tokens'),
      'context_length_exceeded',
    ],
    [new Error('it broke after 4290 words'), 'server_error'],
    [Object.assign(new Error('529'), { status: 529 }), 'overloaded'],
    [Object.assign(new Error('504'), { status: 504 }), 'timeout'],
    [
      Object.assign(new Error('?'), { status: 429, error: { code: 'insufficient_quota' } }),
      'quota_exhausted',
    ],
    [new TypeError('fetch failed', { cause: new Error('refused') }), 'transport'],
  ])('errors of other makes are read: %s', async ([thrown, code]) => {
    const errors: ProviderError[] = []
    const { ask } = chainOf([scripted('alder', thrown), scripted('birch')], {
      onSwitch: ({ error }) => errors.push(error),
    })
    expect(await ask()).toBe('birch speaks')
    expect(errors).toMatchObject([{ code, provider: 'alder', cause: thrown }])
  })

  test('waits that such errors ask for are heard', async () => {
    const headers = new Headers({ 'retry-after': '3' })
    const limited = Object.assign(new Error('slow down'), { status: 429, headers })
    const { ask, waits } = chainOf([scripted('alder', limited, 'thanks')])
    expect(await ask()).toBe('thanks')
    expect(waits).toEqual([3000])
  })

  test('mistakes in the code are not hidden behind the answer of another client', async () => {
    const mistake = new TypeError('messages is not iterable')
    const { chain, ask } = chainOf([scripted('alder', mistake), scripted('birch')])
    await expect(ask()).rejects.toBe(mistake)
    expect(chain.health()[0]?.state).toBe('ready')
  })
})

describe('trying again', () => {
  test('waits longer each time', async () => {
    const first = scripted('alder', failure('server_error'))
    const { ask, waits } = chainOf([first, scripted('birch')], { retries: 3 })
    await ask()
    expect(waits).toEqual([500, 1000, 2000])
  })

  test('succeeds without blame', async () => {
    const first = scripted('alder', failure('server_error'), 'here I am')
    const { chain, ask } = chainOf([first])
    expect(await ask()).toBe('here I am')
    expect(chain.health()[0]).toMatchObject({ state: 'ready', failures: 0 })
  })

  test('waits as long as the provider asks for, but not too long', async () => {
    const soon = scripted('alder', failure('rate_limited', { retryAfterMs: 4000 }), 'thanks')
    const patient = chainOf([soon, scripted('birch')])
    expect(await patient.ask()).toBe('thanks')
    expect(patient.waits).toEqual([4000])

    const late = scripted('alder', failure('rate_limited', { retryAfterMs: 45_000 }))
    const { chain, ask, waits } = chainOf([late, scripted('birch')])
    expect(await ask()).toBe('birch speaks')
    expect(waits).toEqual([])
    expect(chain.health()[0]).toMatchObject({ state: 'cooling', cooldownMs: 45_000 })
  })
})

describe('leaving a client alone', () => {
  test('a client that has failed is not asked while it cools down', async () => {
    const [first, second] = [scripted('alder', failure('server_error')), scripted('birch')]
    const { chain, ask, pass } = chainOf([first, second], { retries: 0 })
    await ask()
    await ask()
    expect(counts(first, second)).toEqual([1, 2])
    expect([chain.provider, chain.model]).toEqual(['birch', 'birch-large'])
    first.play('back again')
    pass(30_000)
    expect(await ask()).toBe('back again')
    expect(chain.model).toBe('alder-large')
  })

  test('the time grows with each failure up to a limit, and a success ends it', async () => {
    const first = scripted('alder', failure('overloaded'))
    const { chain, ask, pass } = chainOf([first, scripted('birch')], { retries: 0 })
    const times: unknown[] = []
    for (let round = 0; round < 6; round++) {
      await ask()
      const [{ cooldownMs = 0, failures = 0 } = {}] = chain.health()
      times.push([failures, cooldownMs])
      pass(cooldownMs)
    }
    expect(times).toEqual([
      [1, 30_000],
      [2, 60_000],
      [3, 120_000],
      [4, 240_000],
      [5, 300_000],
      [6, 300_000],
    ])
    first.play('well again')
    await ask()
    expect(chain.health()[0]).toEqual({
      provider: 'alder',
      model: 'alder-large',
      state: 'ready',
      failures: 0,
      cooldownMs: 0,
    })
  })

  test('two models of one provider do not cool each other down', async () => {
    const large = scripted('alder/large', failure('overloaded'))
    const small = scripted('alder/small')
    const { chain, ask } = chainOf([large, small], { retries: 0 })
    expect(await ask()).toBe('alder/small speaks')
    expect(chain.health().map(({ model, state }) => [model, state])).toEqual([
      ['large', 'cooling'],
      ['small', 'ready'],
    ])
  })

  test('when all cool down, the one that will be ready soonest is asked', async () => {
    const first = scripted('alder', failure('unauthorized'))
    const second = scripted('birch', failure('overloaded'))
    const { ask, pass } = chainOf([first, second], { retries: 0 })
    await expect(ask()).rejects.toThrow()
    pass(1000)
    second.play('just in time')
    expect(await ask()).toBe('just in time')
    expect(counts(first, second)).toEqual([1, 2])
  })

  test('one that fails is followed by one that will be ready before it', async () => {
    const first = scripted('alder', failure('overloaded'))
    const second = scripted('birch', failure('overloaded'))
    const third = scripted('cedar', failure('unauthorized'))
    const { ask, pass } = chainOf([first, second, third], { retries: 0 })
    await expect(ask()).rejects.toThrow()
    pass(1000)
    second.play('just in time')
    expect(await ask()).toBe('just in time')
    expect(counts(first, second, third)).toEqual([2, 2, 1])
  })

  test('failures at the same time count once', async () => {
    const first = scripted('alder', failure('overloaded'))
    const { chain, ask } = chainOf([first, scripted('birch')], { retries: 0 })
    await Promise.all(Array.from({ length: 8 }, () => ask()))
    expect(counts(first)).toEqual([8])
    expect(chain.health()[0]).toMatchObject({ failures: 1, cooldownMs: 30_000 })
  })

  test('an answer to an older request does not end the cooling', async () => {
    const slow = deferred()
    const first = scripted('alder', () => slow.promise, failure('rate_limited'))
    const { chain, ask } = chainOf([first, scripted('birch')], { retries: 0 })
    const older = ask()
    await ask()
    slow.resolve(said('sorry, I was slow'))
    expect(await older).toBe('sorry, I was slow')
    expect(chain.health()[0]?.state).toBe('cooling')
  })

  test('afterwards one request tries it while the others go elsewhere', async () => {
    const trial = deferred()
    const first = scripted('alder', failure('overloaded'), () => trial.promise, 'as before')
    const { chain, ask, pass } = chainOf([first, scripted('birch')], { retries: 0 })
    await ask()
    pass(30_000)
    const trying = ask()
    expect(chain.health()[0]?.state).toBe('trial')
    expect(await ask()).toBe('birch speaks')
    trial.resolve(said('all is well'))
    expect(await trying).toBe('all is well')
    expect(await ask()).toBe('as before')
  })

  test('reset forgets all failures, or those of some', async () => {
    const clients = [
      scripted('alder/x', failure('overloaded')),
      scripted('birch/y', failure('overloaded')),
    ]
    const { chain, ask } = chainOf(clients, { retries: 0 })
    const states = () => chain.health().map(({ state }) => state)
    await expect(ask()).rejects.toThrow()
    chain.reset({ provider: 'birch' })
    expect(states()).toEqual(['cooling', 'ready'])
    chain.reset({ model: 'z' })
    expect(states()).toEqual(['cooling', 'ready'])
    chain.reset()
    expect(states()).toEqual(['ready', 'ready'])
  })
})

describe('when nobody answers', () => {
  test('the error speaks for the last one and knows them all', async () => {
    const last = failure('overloaded', { status: 529 })
    const { ask } = chainOf([scripted('alder', failure('not_found')), scripted('birch', last)])
    const error = await ask().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FallbackError)
    expect(error).toMatchObject({
      code: 'overloaded',
      status: 529,
      provider: 'birch',
      retryable: true,
      cause: last,
      failed: [{ provider: 'alder' }, { provider: 'birch', error: last }],
    })
  })

  test('the error of a single one is passed on as it is', async () => {
    const error = failure('unauthorized')
    await expect(chainOf([scripted('alder', error)]).ask()).rejects.toBe(error)
  })

  test('a chain without clients is refused', () => {
    expect(() => chainOf([])).toThrow('createFallback needs at least one client')
  })

  test('the name of the chain is that of its first client when all cool down', async () => {
    const { chain, ask } = chainOf([
      scripted('alder', failure('overloaded')),
      scripted('birch', failure('overloaded')),
    ])
    await expect(ask()).rejects.toThrow()
    expect(chain.provider).toBe('alder')
  })
})

describe('tools', () => {
  function plain(name: string): Scripted {
    const client = scripted(name)
    client.tools = false
    return client
  }

  test('clients without native tools are skipped when there are tools', async () => {
    const [first, second] = [plain('alder'), scripted('birch')]
    const { chain, ask } = chainOf([first, second])
    expect(await ask(WITH_TOOLS)).toBe('birch speaks')
    expect(counts(first, second)).toEqual([0, 1])
    expect(await ask()).toBe('alder speaks')
    expect(await ask({ ...WITH_TOOLS, toolChoice: 'none' })).toBe('alder speaks')
    expect(chain.capabilities).toMatchObject({ nativeTools: true, toolMode: 'native' })
  })

  test('when there are no others, the error says what to do', async () => {
    await expect(chainOf([plain('alder')]).ask(WITH_TOOLS)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining("toolFallback: 'text'"),
    })
  })

  test('they take part in text mode when that is allowed', async () => {
    const { chain, ask } = chainOf([plain('alder'), scripted('birch')], { toolFallback: 'text' })
    expect(await ask(WITH_TOOLS)).toBe('alder speaks')
    expect(chain.capabilities.toolMode).toBe('text')
  })

  test('a client that turns out to have none is used when no other is left', async () => {
    const [first, second] = [scripted('alder'), scripted('birch')]
    const { ask } = chainOf([first, second])
    first.tools = false
    expect(await ask(WITH_TOOLS)).toBe('birch speaks')
    second.tools = false
    expect(await ask(WITH_TOOLS)).toBe('alder speaks')
  })
})

describe('giving up', () => {
  test('ends the request with its reason and blames nobody', async () => {
    const controller = new AbortController()
    const reason = new Error('the user went home')
    const first = scripted('alder', ({ signal }) => {
      controller.abort(reason)
      return Promise.reject(new ProviderError('transport', String(signal?.aborted)))
    })
    const second = scripted('birch')
    const { chain } = chainOf([first, second])
    const answer = chain.complete(REQUEST, { signal: controller.signal })
    await expect(answer).rejects.toBe(reason)
    expect(counts(first, second)).toEqual([1, 0])
    expect(chain.health()[0]).toMatchObject({ state: 'ready', failures: 0 })
  })

  test('also while it waits', async () => {
    const controller = new AbortController()
    const first = scripted('alder', failure('overloaded'))
    const chain = createFallback([first, scripted('birch')])
    const answer = chain.complete(REQUEST, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 20)
    await expect(answer).rejects.toThrow('enough')
    expect(chain.health()[0]?.failures).toBe(0)
  })

  test('before anything was sent', async () => {
    const client = scripted('alder')
    const signal = AbortSignal.abort(new Error('never mind'))
    await expect(chainOf([client]).chain.complete(REQUEST, { signal })).rejects.toThrow(
      'never mind',
    )
    const events = await eventsOf(chainOf([client]).chain.stream(REQUEST, { signal }))
    expect(events).toMatchObject([{ type: 'error', error: { message: 'never mind' } }])
    expect(counts(client)).toEqual([0])
  })

  test('of a trial leaves the trial to the next', async () => {
    const controller = new AbortController()
    const first = scripted('alder', failure('overloaded'), () => {
      controller.abort()
      return Promise.reject(controller.signal.reason)
    })
    const { chain, ask, pass } = chainOf([first, scripted('birch')], { retries: 0 })
    await ask()
    pass(30_000)
    await expect(chain.complete(REQUEST, { signal: controller.signal })).rejects.toThrow()
    first.play('now it works')
    expect(await ask()).toBe('now it works')
  })
})

describe('streams', () => {
  /** Streams what it is given, and then breaks off. */
  function breaking(name: string, events: readonly ChatEvent[], error: unknown): Scripted {
    const client = scripted(name)
    return Object.assign(client, {
      stream: (request: ClientRequest, options: RequestOptions = {}) => {
        client.asked.push({ request, options })
        return createChatStream(async function* (ending) {
          yield* events
          ending.reject(error)
          yield { type: 'error', error: streamFailure(error) }
        })
      },
    })
  }

  const START: ChatEvent = { type: 'start', model: 'alder-large' }
  const TEXT: ChatEvent = { type: 'text-delta', text: 'The old ' }

  test('are passed on as they are', async () => {
    const client = scripted('alder')
    const { chain } = chainOf([client])
    const stream = chain.stream(REQUEST)
    const events = await eventsOf(stream)
    expect(events).toEqual(await eventsOf(client.stream(REQUEST)))
    expect(await stream.response).toEqual(said('alder speaks'))
    expect(await chain.stream(REQUEST).response).toEqual(said('alder speaks'))
  })

  test('fail over before the first thing that can be seen', async () => {
    const nothing: ChatEvent = { type: 'text-delta', text: '' }
    const first = breaking('alder', [START, nothing], failure('overloaded'))
    const { chain, switches, waits } = chainOf([first, scripted('birch')])
    const stream = chain.stream(REQUEST)
    const events = await eventsOf(stream)
    expect(textIn(events)).toBe('birch speaks')
    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1)
    expect(counts(first)).toEqual([3])
    expect(waits).toHaveLength(2)
    expect(switches).toEqual(['alder → birch: overloaded'])
    expect((await stream.response).message.content).toBe('birch speaks')
  })

  test.for<[string, ChatEvent]>([
    ['text', TEXT],
    ['reasoning', { type: 'reasoning-delta', text: 'Let me see' }],
    ['a call', { type: 'call-start', index: 0, id: 'c1', name: 'find_bridges' }],
  ])('do not fail over behind %s, and the failure counts', async ([, event]) => {
    const error = failure('transport')
    const second = scripted('birch')
    const { chain } = chainOf([breaking('alder', [START, event], error), second])
    const stream = chain.stream(REQUEST)
    const events = await eventsOf(stream)
    expect(events).toMatchObject([START, event, { type: 'error' }])
    await expect(stream.response).rejects.toBe(error)
    expect(counts(second)).toEqual([0])
    expect(chain.health()[0]).toMatchObject({ state: 'cooling', failures: 1 })
  })

  test('that break again and again are left alone longer', async () => {
    const first = breaking('alder', [TEXT], failure('transport'))
    const { chain, pass } = chainOf([first, scripted('birch')])
    for (const wait of [30_000, 60_000]) {
      await eventsOf(chain.stream(REQUEST))
      expect(chain.health()[0]?.cooldownMs).toBe(wait)
      pass(wait)
    }
  })

  test('end with an error when nobody answers', async () => {
    const { chain } = chainOf([
      scripted('alder', failure('unauthorized')),
      scripted('birch', failure('not_found')),
    ])
    const stream = chain.stream(REQUEST)
    expect(await eventsOf(stream)).toMatchObject([{ type: 'error', error: { code: 'not_found' } }])
    await expect(stream.response).rejects.toBeInstanceOf(FallbackError)
    await expect(chain.stream(WITH_TOOLS).response).rejects.toBeInstanceOf(ProviderError)
  })

  test('end with an error when the source just stops', async () => {
    const broken = Object.assign(scripted('alder'), {
      stream: () =>
        createChatStream(async function* () {
          yield TEXT
        }),
    })
    const { chain } = chainOf([broken])
    const stream = chain.stream(REQUEST)
    expect(await eventsOf(stream)).toMatchObject([TEXT, { type: 'error' }])
    await expect(stream.response).rejects.toMatchObject({ code: 'transport' })
    expect(chain.health()[0]?.failures).toBe(1)
  })

  test('that are left early end their source, and nobody is blamed', async () => {
    let ended = false
    const client = Object.assign(scripted('alder'), {
      stream: () =>
        createChatStream(async function* () {
          try {
            yield START
            yield TEXT
            yield TEXT
          } finally {
            ended = true
          }
        }),
    })
    const { chain } = chainOf([client])
    for await (const event of chain.stream(REQUEST)) if (event.type === 'text-delta') break
    expect(ended).toBe(true)
    expect(chain.health()[0]).toMatchObject({ state: 'ready', failures: 0 })
  })

  test('that the caller ends are no failure of their source', async () => {
    const controller = new AbortController()
    const first = scripted('alder', 'The old bridge is shut, the new one is open.')
    const { chain } = chainOf([first])
    const inner = first.stream
    first.stream = (request, options) =>
      createChatStream(async function* (ending) {
        for await (const event of inner(request, options)) {
          if (!options?.signal?.aborted) yield event
        }
        ending.reject(options?.signal?.reason)
        yield { type: 'error', error: streamFailure(options?.signal?.reason) }
      })
    const stream = chain.stream(REQUEST, { signal: controller.signal })
    for await (const event of stream) {
      if (event.type === 'text-delta') controller.abort(new Error('enough'))
    }
    await expect(stream.response).rejects.toThrow('enough')
    expect(chain.health()[0]).toMatchObject({ state: 'ready', failures: 0 })
  })

  test('let others in as soon as a trial shows something', async () => {
    const first = scripted('alder', failure('overloaded'), 'The old bridge is shut.')
    const { chain, ask, pass } = chainOf([first, scripted('birch')], { retries: 0 })
    await ask()
    pass(30_000)
    const events = chain.stream(REQUEST)[Symbol.asyncIterator]()
    await events.next()
    expect(chain.health()[0]).toMatchObject({ state: 'ready', failures: 1 })
    while (!(await events.next()).done);
    expect(chain.health()[0]?.failures).toBe(0)
  })
})

test('a chain can be a client of another', async () => {
  const inner = createFallback([scripted('alder', failure('not_found')), scripted('birch')])
  const { chain, ask } = chainOf([inner, scripted('cedar')])
  expect(await ask()).toBe('birch speaks')
  expect(chain.provider).toBe('birch')
})
