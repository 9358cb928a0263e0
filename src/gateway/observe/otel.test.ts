import {
  propagation,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterEach, expect, test } from 'vitest'
import { ATTEMPT, arrival, asked, begin, outcome } from '../../../test/support/observed-request.ts'
import { ProviderError } from '../../client/errors.ts'
import { createOtelObserver } from './otel.ts'

afterEach(() => propagation.disable())

/** Reads the header of W3C, as the propagator that the SDK registers does. */
const traceParent: TextMapPropagator = {
  inject() {},
  extract(context, carrier, getter) {
    const [, traceId = '', spanId = ''] = String(getter.get(carrier, 'traceparent')).split('-')
    return trace.setSpanContext(context, { traceId, spanId, traceFlags: 1, isRemote: true })
  },
  fields: () => ['traceparent'],
}

function setUp() {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
  return {
    observer: createOtelObserver({ tracerProvider }),
    span(): ReadableSpan {
      const [span] = exporter.getFinishedSpans()
      if (!span) throw new Error('there is no span')
      return span
    },
  }
}

test('a request is a span with what was asked, tried and found', () => {
  const { observer, span } = setUp()
  const request = begin(observer, {
    id: 'r1',
    path: '/v1/chat/completions?key=secret',
    headers: { 'user-agent': 'curl', authorization: 'Bearer secret' },
  })
  request.asked?.(asked())
  request.attempt?.(ATTEMPT)
  request.switched?.(ATTEMPT, new ProviderError('overloaded', 'a private matter'))
  request.attempt?.({ ...ATTEMPT, provider: 'google', model: 'gemini', lane: 'translate' })
  request.upstream?.(200)
  request.end(
    outcome({
      usage: { inputTokens: 40, outputTokens: 6 },
      rescues: [{ protocol: 'hermes', tool: 'pier', repairs: ['comma'] }],
      fallbacks: 1,
    }),
  )
  const { name, kind, attributes, events, status } = span()
  expect([name, kind]).toEqual(['POST openai-chat', SpanKind.SERVER])
  expect(status.code).toBe(SpanStatusCode.UNSET)
  expect(attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'url.path': '/v1/chat/completions',
    'user_agent.original': 'curl',
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'fast',
    'gen_ai.request.stream': true,
    'gen_ai.response.time_to_first_chunk': 0.4,
    'gen_ai.usage.input_tokens': 40,
    'gen_ai.usage.output_tokens': 6,
    'toolglot.request.id': 'r1',
    'toolglot.endpoint': 'openai-chat',
    'toolglot.key': 'anna',
    'toolglot.tools': 2,
    'toolglot.upstream.status_code': 200,
    'toolglot.added_seconds': 0.003,
    'toolglot.fallbacks': 1,
    'toolglot.rescued.protocol': 'hermes',
    'toolglot.repairs': ['comma'],
  })
  expect(events.map((event) => event.name)).toEqual([
    'toolglot.attempt',
    'toolglot.switch',
    'toolglot.attempt',
    'toolglot.rescue',
  ])
  expect(events[1]?.attributes).toMatchObject({ 'error.type': 'overloaded' })
  expect(events[2]?.attributes).toMatchObject({ 'gen_ai.request.model': 'gemini' })
  expect(JSON.stringify([attributes, events, status])).not.toMatch(/secret|private/)
})

test.for([
  [502, 'transport', SpanStatusCode.ERROR],
  [200, 'transport', SpanStatusCode.ERROR],
  [400, 'invalid_json', SpanStatusCode.UNSET],
  [499, 'client_closed', SpanStatusCode.UNSET],
] as const)('%i with %s', ([status, error, code]) => {
  const { observer, span } = setUp()
  begin(observer).end(outcome({ status, error, message: 'a private matter' }))
  expect(span().name).toBe('POST')
  expect(span().attributes['error.type']).toBe(error)
  expect(span().status).toEqual({ code })
})

test('it goes on the trace of the client', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const spanId = 'b7ad6b7169203331'
  propagation.setGlobalPropagator(traceParent)
  const { observer, span } = setUp()
  const headers = { traceparent: `00-${traceId}-${spanId}-01` }
  observer.begin(arrival({ headers }))?.end(outcome())
  expect(span().spanContext().traceId).toBe(traceId)
  expect(span().parentSpanContext?.spanId).toBe(spanId)
})
