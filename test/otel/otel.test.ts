/** Spans and metrics, taken by the real SDK of OpenTelemetry. */
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type AgentOptions, failure, tool } from '../../src/agent/index.ts'
import { createFallback } from '../../src/client/index.ts'
import { type AgentTelemetryOptions, runTracedAgent, traceClient } from '../../src/otel/index.ts'
import { hermes } from '../../src/protocols/hermes.ts'
import {
  type Script,
  type ScriptedModelOptions,
  scriptedModel,
} from '../../src/testing/scripted-model.ts'

const USAGE = { inputTokens: 40, outputTokens: 6, totalTokens: 46, cacheReadTokens: 8 }
const ASK = { messages: [{ role: 'user' as const, content: 'Is the pier free?' }] }

afterEach(() => {
  context.disable()
  propagation.disable()
})

/** A tracer, a meter, and what they have got. */
function observe() {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({
    exporter: measured,
    exportIntervalMillis: 3_600_000,
  })
  const meterProvider = new MeterProvider({ readers: [reader] })
  onTestFinished(() => meterProvider.shutdown())
  return {
    tracerProvider,
    meterProvider,
    spans: () => exporter.getFinishedSpans(),
    span(name: string): ReadableSpan {
      const found = exporter.getFinishedSpans().find((span) => span.name === name)
      if (!found) throw new Error(`no span is called ${name}`)
      return found
    },
    async points(name: string) {
      await meterProvider.forceFlush()
      const last = measured.getMetrics().at(-1)
      const metrics = last?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
      return metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
    },
  }
}

type Observer = ReturnType<typeof observe>

function keepContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
}

const pier = tool({
  name: 'pier',
  description: 'Whether a pier is free.',
  inputSchema: {
    type: 'object',
    properties: { number: { type: 'integer' } },
    required: ['number'],
  },
  execute: ({ number }) => (number === 13 ? failure('there is none', 'NoSuchPier') : 'free'),
})

interface Setting extends Partial<Omit<AgentOptions, 'client'>> {
  readonly script?: Script
  readonly model?: ScriptedModelOptions
  readonly telemetry?: AgentTelemetryOptions
}

function start(observer: Observer, setting: Setting = {}) {
  const { script = SCRIPT, model, telemetry, ...options } = setting
  const { tracerProvider, meterProvider } = observer
  const client = scriptedModel(script, model)
  const agent = { client, tools: [pier], prompt: 'Is the pier free?', ...options }
  return runTracedAgent(agent, { tracerProvider, meterProvider, ...telemetry })
}

const SCRIPT: Script = [
  { calls: [{ name: 'pier', arguments: { number: 4 } }], usage: USAGE },
  { text: 'Pier 4 is free.', usage: USAGE },
]

describe('requests', () => {
  test('a whole reply', async () => {
    const observer = observe()
    const client = traceClient(
      scriptedModel([{ text: 'Yes.', usage: USAGE }], { provider: 'google' }),
      observer,
    )
    await client.complete({ ...ASK, maxTokens: 100, temperature: 0.5, stop: ['\n'] })
    const { kind, attributes, status } = observer.span('chat scripted')
    expect(kind).toBe(SpanKind.CLIENT)
    expect(status.code).toBe(SpanStatusCode.UNSET)
    expect(attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'scripted',
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.stop_sequences': ['\n'],
      'gen_ai.response.id': 'reply_1',
      'gen_ai.response.model': 'scripted',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 6,
      'gen_ai.usage.cache_read.input_tokens': 8,
    })
  })

  test('a stream, with the time of its first piece', async () => {
    const observer = observe()
    const client = traceClient(scriptedModel([{ text: 'Yes.', usage: USAGE }]), observer)
    const stream = client.stream(ASK)
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect(types.at(-1)).toBe('finish')
    expect((await stream.response).message.content).toBe('Yes.')
    expect(observer.spans()).toHaveLength(1)
    expect(observer.span('chat scripted').attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    })
    expect(await observer.points('gen_ai.client.operation.time_to_first_chunk')).toHaveLength(1)
  })

  test('a stream of which only the response is asked for', async () => {
    const observer = observe()
    const client = traceClient(scriptedModel([{ text: 'Yes.' }]), observer)
    expect((await client.stream(ASK).response).message.content).toBe('Yes.')
    expect(observer.spans()).toHaveLength(1)
  })

  test('a stream that is left ends its span, without a failure', async () => {
    const observer = observe()
    const client = traceClient(scriptedModel([{ text: 'A long story, '.repeat(50) }]), observer)
    for await (const { type } of client.stream(ASK)) if (type === 'text-delta') break
    expect(observer.span('chat scripted').status.code).toBe(SpanStatusCode.UNSET)
  })

  test.for([true, false])('a failure (streamed: %s)', async (isStream) => {
    const observer = observe()
    const client = traceClient(scriptedModel([{ status: 429, error: 'slow down' }]), observer)
    const asked = isStream ? client.stream(ASK).response : client.complete(ASK)
    await expect(asked).rejects.toThrow('slow down')
    const { attributes, status } = observer.span('chat scripted')
    expect(attributes['error.type']).toBe('rate_limited')
    expect(status).toEqual({ code: SpanStatusCode.ERROR })
    const [point] = await observer.points('gen_ai.client.operation.duration')
    expect(point?.attributes).toMatchObject({ 'error.type': 'rate_limited' })
  })

  test('tokens and time are measured', async () => {
    const observer = observe()
    const client = traceClient(scriptedModel([{ text: 'Yes.', usage: USAGE }]), observer)
    await client.complete(ASK)
    await client.complete(ASK)
    const shared = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'scripted',
      'gen_ai.response.model': 'scripted',
    }
    expect(await observer.points('gen_ai.client.token.usage')).toMatchObject([
      { attributes: { ...shared, 'gen_ai.token.type': 'input' }, value: { count: 2, sum: 80 } },
      { attributes: { ...shared, 'gen_ai.token.type': 'output' }, value: { count: 2, sum: 12 } },
    ])
    const [duration] = await observer.points('gen_ai.client.operation.duration')
    expect(duration).toMatchObject({ attributes: shared, value: { count: 2 } })
  })

  test('the members of a chain are seen, and nothing is measured twice', async () => {
    keepContext()
    const observer = observe()
    const first = traceClient(scriptedModel([{ status: 503 }], { provider: 'anthropic' }), observer)
    const second = traceClient(scriptedModel([{ text: 'Yes.', usage: USAGE }]), observer)
    const client = createFallback([first, second], { retries: 0 })
    await runTracedAgent({ client, prompt: 'Is the pier free?' }, observer).result
    const seen = observer.spans().map(({ name, attributes }) => [name, attributes['error.type']])
    expect(seen).toEqual([
      ['chat scripted', 'overloaded'],
      ['chat scripted', undefined],
      ['chat scripted', undefined],
      ['invoke_agent', undefined],
    ])
    expect(await observer.points('gen_ai.client.token.usage')).toMatchObject([
      { value: { count: 1, sum: 40 } },
      { value: { count: 1, sum: 6 } },
    ])
  })

  test('nobody is watched twice', async () => {
    const observer = observe()
    const client = traceClient(traceClient(scriptedModel([{ text: 'Yes.' }]), observer), observer)
    await client.complete(ASK)
    expect(observer.spans()).toHaveLength(1)
  })
})

describe('runs', () => {
  test.for([true, false])('spans hang together (with a context manager: %s)', async (keeps) => {
    if (keeps) keepContext()
    const observer = observe()
    const { run } = await start(observer, { telemetry: { agentName: 'harbour' } }).result
    const [chat1, call, chat2, agent] = observer.spans()
    expect([chat1, call, chat2, agent].map((span) => span?.name)).toEqual([
      'chat scripted',
      'execute_tool pier',
      'chat scripted',
      'invoke_agent harbour',
    ])
    expect(agent?.parentSpanContext).toBeUndefined()
    for (const child of [chat1, call, chat2]) {
      expect(child?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId)
      expect(child?.attributes['gen_ai.conversation.id']).toBe(run)
    }
    expect(agent?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'scripted',
      'gen_ai.agent.name': 'harbour',
      'gen_ai.conversation.id': run,
      'gen_ai.usage.input_tokens': 80,
      'gen_ai.usage.output_tokens': 12,
      'gen_ai.usage.cache_read.input_tokens': 16,
      'toolglot.finish_reason': 'stop',
      'toolglot.steps': 1,
    })
    expect(call?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'pier',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': 'Whether a pier is free.',
      'gen_ai.tool.call.id': expect.any(String),
    })
  })

  test('what a tool does belongs to its call, and the run to whoever started it', async () => {
    keepContext()
    const observer = observe()
    const tracer = observer.tracerProvider.getTracer('harbour')
    const inner = (name: string): void => tracer.startSpan(name).end()
    const tools = [
      tool({
        name: 'pier',
        inputSchema: {},
        async execute() {
          inner('look')
          await new Promise((resolve) => setTimeout(resolve, 1))
          inner('look again')
          return 'free'
        },
      }),
      tool({
        name: 'crane',
        inputSchema: {},
        async *execute() {
          yield 'lifting'
          inner('lift')
          yield 'done'
        },
      }),
    ]
    const script: Script = [{ calls: [{ name: 'pier' }, { name: 'crane' }] }, { text: 'Done.' }]
    await tracer.startActiveSpan('request', async (request) => {
      await start(observer, { tools, script }).result
      request.end()
    })
    expect(parentsOf(observer)).toEqual({
      look: 'execute_tool pier',
      'look again': 'execute_tool pier',
      lift: 'execute_tool crane',
      'execute_tool pier': 'invoke_agent',
      'execute_tool crane': 'invoke_agent',
      'chat scripted': 'invoke_agent',
      invoke_agent: 'request',
      request: undefined,
    })
  })

  test('what is sent to the provider belongs to the request', async () => {
    keepContext()
    const observer = observe()
    const tracer = observer.tracerProvider.getTracer('harbour')
    const script: Script = () => {
      tracer.startSpan('HTTP').end()
      return { text: 'Yes.' }
    }
    await start(observer, { script }).result
    await start(observer, { script, stream: false }).result
    const parents = observer.spans().filter(({ name }) => name === 'chat scripted')
    const sent = observer.spans().filter(({ name }) => name === 'HTTP')
    expect(sent.map((span) => span.parentSpanContext?.spanId)).toEqual(
      parents.map((span) => span.spanContext().spanId),
    )
  })

  test.for([
    ['an error of the tool', { name: 'pier', arguments: { number: 13 } }, 'NoSuchPier'],
    ['bad arguments', { name: 'pier', arguments: { number: 'x' } }, 'InvalidArgs'],
    ['a tool that does not exist', { name: 'quay' }, 'UnknownTool'],
  ] as const)('%s', async ([, call, type]) => {
    const observer = observe()
    await start(observer, { script: [{ calls: [call] }, { text: 'No.' }] }).result
    const { attributes, status } = observer.span(`execute_tool ${call.name}`)
    expect(attributes['error.type']).toBe(type)
    expect(status).toEqual({ code: SpanStatusCode.ERROR })
    expect(observer.spans().filter(({ name }) => name.startsWith('execute'))).toHaveLength(1)
  })

  test.for([
    ['throws', () => Promise.reject(new RangeError('too deep')), 'RangeError'],
    ['never ends', () => new Promise(() => {}), 'Timeout'],
  ] as const)('a tool that %s', async ([, execute, type]) => {
    const observer = observe()
    const tools = [tool({ name: 'pier', inputSchema: {}, timeoutMs: 20, execute })]
    await start(observer, { tools }).result
    expect(observer.span('execute_tool pier').attributes['error.type']).toBe(type)
  })

  test('a run that fails', async () => {
    const observer = observe()
    const { finishReason } = await start(observer, { script: [{ status: 401 }] }).result
    const { attributes, status } = observer.span('invoke_agent')
    expect(finishReason).toBe('unauthorized')
    expect(attributes).toMatchObject({ 'error.type': finishReason })
    expect(status.code).toBe(SpanStatusCode.ERROR)
  })

  test('rescued calls, text mode and repairs can be told apart', async () => {
    const written = '<tool_call>{"name": "pier", "arguments": {"number": 4,}}</tool_call>'
    const rescued = observe()
    await start(rescued, { script: [{ text: written }, { text: 'Free.' }] }).result
    expect(rescued.span('chat scripted').attributes).toMatchObject({
      'toolglot.tool_mode': 'native',
      'toolglot.rescued.protocol': 'hermes',
      'toolglot.repairs': ['dropped-comma'],
    })
    expect(rescued.span('execute_tool pier').attributes).toMatchObject({
      'toolglot.repairs': ['dropped-comma'],
    })
    const meant = observe()
    await start(meant, { model: { protocol: hermes } }).result
    const { attributes } = meant.span('chat scripted')
    expect(attributes['toolglot.tool_mode']).toBe('text')
    expect(attributes).not.toHaveProperty('toolglot.rescued.protocol')
  })

  test('leaving the events cancels the run and ends its span', async () => {
    const observer = observe()
    let isCanceled = false
    const tools = [
      tool({
        name: 'pier',
        inputSchema: {},
        execute: (_, { signal }) =>
          new Promise(() => signal.addEventListener('abort', () => (isCanceled = true))),
      }),
    ]
    for await (const { type } of start(observer, { tools })) if (type === 'tool-call') break
    await expect.poll(() => observer.spans().map(({ name }) => name)).toContain('invoke_agent')
    expect(observer.span('invoke_agent').attributes['toolglot.finish_reason']).toBe('canceled')
    expect(isCanceled || observer.spans().every(({ name }) => !name.includes('tool'))).toBe(true)
  })

  test('leaving the events does not, when the result is waited for', async () => {
    const observer = observe()
    const run = start(observer)
    const result = run.result
    for await (const _ of run) break
    expect((await result).finishReason).toBe('stop')
  })

  test('a mistake in the options rejects as it does without spans', async () => {
    const observer = observe()
    const run = runTracedAgent({ client: scriptedModel(SCRIPT) }, observer)
    await expect(run.result).rejects.toThrow('neither prompt nor messages')
    expect(observer.span('invoke_agent').attributes['error.type']).toBe('nothing_to_do')
  })

  test('without an SDK everything works, and nothing is recorded', async () => {
    const { text } = await runTracedAgent({
      client: scriptedModel(SCRIPT),
      tools: [pier],
      prompt: 'Is the pier free?',
    }).result
    expect(text).toBe('Pier 4 is free.')
    expect(trace.getActiveSpan()).toBeUndefined()
  })
})

describe('contents', () => {
  const SECRET = 'Is the pier free?'

  test('are not recorded', async () => {
    const observer = observe()
    await start(observer, { system: 'Be brief.', script: [{ status: 400, error: SECRET }] }).result
    await start(observer, { system: 'Be brief.' }).result
    const all = JSON.stringify(
      observer.spans().map(({ attributes, status, events }) => [attributes, status, events]),
    )
    for (const content of [SECRET, 'Be brief.', '"number":4', 'Pier 4 is free.'])
      expect(all).not.toContain(content)
  })

  test('are, in the form of the conventions, when that is wanted', async () => {
    const observer = observe()
    await start(observer, { system: 'Be brief.', telemetry: { captureContent: true } }).result
    const [, call, chat, agent] = observer.spans()
    const id = call?.attributes['gen_ai.tool.call.id']
    expect(read(chat, 'gen_ai.system_instructions')).toEqual([
      { type: 'text', content: 'Be brief.' },
    ])
    expect(read(chat, 'gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: SECRET }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id, name: 'pier', arguments: { number: 4 } }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id, response: 'free' }] },
    ])
    const answer = [{ type: 'text', content: 'Pier 4 is free.' }]
    const output = [{ role: 'assistant', parts: answer, finish_reason: 'stop' }]
    expect(read(chat, 'gen_ai.output.messages')).toEqual(output)
    expect(read(agent, 'gen_ai.output.messages')).toEqual(output)
    expect(read(chat, 'gen_ai.tool.definitions')).toMatchObject([
      { type: 'function', name: 'pier' },
    ])
    expect(read(call, 'gen_ai.tool.call.arguments')).toEqual({ number: 4 })
    expect(call?.attributes['gen_ai.tool.call.result']).toBe('free')
  })

  test('every name is one of the conventions', async () => {
    const observer = observe()
    await start(observer, { system: 'Be brief.', telemetry: { captureContent: true } }).result
    const known = new Set<unknown>(Object.values(conventions))
    const used = new Set(observer.spans().flatMap(({ attributes }) => Object.keys(attributes)))
    const unknown = [...used].filter((name) => !known.has(name) && !name.startsWith('toolglot.'))
    expect(unknown).toEqual([])
  })
})

function read(span: ReadableSpan | undefined, attribute: string): unknown {
  return JSON.parse(String(span?.attributes[attribute]))
}

function parentsOf({ spans }: Observer): Record<string, string | undefined> {
  const names = new Map(spans().map((span) => [span.spanContext().spanId, span.name]))
  return Object.fromEntries(
    spans().map(({ name, parentSpanContext }) => [
      name,
      names.get(parentSpanContext?.spanId ?? ''),
    ]),
  )
}
