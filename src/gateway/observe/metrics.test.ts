import { expect, test } from 'vitest'
import { ATTEMPT, asked, begin, outcome } from '../../../test/support/observed-request.ts'
import { ProviderError } from '../../client/errors.ts'
import type { Outcome } from '../observer.ts'
import { createMetrics, type Metrics } from './metrics.ts'

const OTHER_ATTEMPT = { ...ATTEMPT, provider: 'groq', model: 'llama' }

/** A request that is asked and answered. */
function answer(metrics: Metrics, model: string, fields: Partial<Outcome> = {}): void {
  const request = begin(metrics)
  request.asked?.(asked({ model }))
  request.attempt?.(ATTEMPT)
  request.upstream?.(fields.status ?? 200)
  request.end(outcome(fields))
}

function linesOf(metrics: Metrics, name: string): string[] {
  return metrics
    .render()
    .split('\n')
    .filter((line) => line.startsWith(name))
}

test('everything is counted under the names that are documented', () => {
  const metrics = createMetrics()
  const request = begin(metrics)
  request.asked?.(asked())
  request.attempt?.(ATTEMPT)
  request.switched?.(ATTEMPT, new ProviderError('overloaded', 'busy'))
  request.attempt?.(ATTEMPT)
  request.switched?.(ATTEMPT, new ProviderError('rate_limited', 'slow down'))
  request.attempt?.(OTHER_ATTEMPT)
  request.upstream?.(200)
  request.end(
    outcome({
      usage: { inputTokens: 40, outputTokens: 6, cacheReadTokens: 8 },
      rescues: [
        { protocol: 'hermes', tool: 'pier', repairs: ['quotes', 'comma'] },
        { protocol: 'hermes', tool: 'pier', repairs: ['comma'] },
      ],
      issues: ['unterminated-call'],
      fallbacks: 1,
    }),
  )
  const text = metrics.render()
  for (const line of [
    'toolglot_requests_total{endpoint="openai-chat",model="fast",provider="groq",status="200",streamed="true"} 1',
    'toolglot_request_duration_seconds_bucket{endpoint="openai-chat",provider="groq",le="1"} 0',
    'toolglot_request_duration_seconds_bucket{endpoint="openai-chat",provider="groq",le="2.5"} 1',
    'toolglot_request_duration_seconds_bucket{endpoint="openai-chat",provider="groq",le="+Inf"} 1',
    'toolglot_request_duration_seconds_sum{endpoint="openai-chat",provider="groq"} 1.2',
    'toolglot_request_duration_seconds_count{endpoint="openai-chat",provider="groq"} 1',
    'toolglot_first_byte_seconds_sum{endpoint="openai-chat",provider="groq"} 0.4',
    'toolglot_added_latency_seconds_bucket{endpoint="openai-chat",le="0.005"} 1',
    'toolglot_rescues_total{protocol="hermes",model="fast"} 2',
    'toolglot_repairs_total{code="quotes"} 1',
    'toolglot_repairs_total{code="comma"} 2',
    'toolglot_issues_total{code="unterminated-call"} 1',
    // Asking the same one again is no fallback.
    'toolglot_fallbacks_total{from_provider="openai",error="rate_limited"} 1',
    'toolglot_upstream_errors_total{provider="openai",code="overloaded"} 1',
    'toolglot_upstream_errors_total{provider="openai",code="rate_limited"} 1',
    'toolglot_tokens_total{direction="input",provider="groq",model="llama"} 40',
    'toolglot_tokens_total{direction="output",provider="groq",model="llama"} 6',
    'toolglot_tokens_total{direction="cache_read",provider="groq",model="llama"} 8',
    'toolglot_bytes_total{direction="in"} 100',
    'toolglot_bytes_total{direction="out"} 2000',
    'toolglot_requests_in_flight 0',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
  expect(linesOf(metrics, 'toolglot_fallbacks_total')).toHaveLength(1)
  expect(linesOf(metrics, 'process_resident_memory_bytes ')[0]).toMatch(/ \d{7,}$/)
  expect(text.endsWith('\n')).toBe(true)
})

test('every line is one that Prometheus can read, and every metric is announced once', () => {
  const metrics = createMetrics()
  answer(metrics, 'fast', { status: 503, error: 'overloaded' })
  const lines = metrics.render().trimEnd().split('\n')
  const announced = lines.filter((line) => line.startsWith('# TYPE'))
  expect(new Set(announced).size).toBe(announced.length)
  const sample = /^[a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*",?)+\})? (?:[\d.e+-]+|\+Inf|NaN)$/
  for (const line of lines) expect(line).toMatch(/^# (?:HELP|TYPE) /.test(line) ? /./ : sample)
})

test('a provider that failed in the end is counted as well', () => {
  const metrics = createMetrics()
  answer(metrics, 'fast', { status: 503, error: 'overloaded' })
  answer(metrics, 'fast', { status: 499, error: 'client_closed' })
  expect(linesOf(metrics, 'toolglot_upstream_errors_total')).toEqual([
    'toolglot_upstream_errors_total{provider="openai",code="overloaded"} 1',
  ])
})

test('names of models count only when they are known, or somebody has answered to them', () => {
  const metrics = createMetrics()
  metrics.knowModels(['broken'])
  answer(metrics, 'nonsense', { status: 404, error: 'not_found' })
  answer(metrics, 'broken', { status: 503, error: 'overloaded' })
  answer(metrics, 'good')
  answer(metrics, 'good', { status: 500, error: 'server_error' })
  const models = linesOf(metrics, 'toolglot_requests_total').map(
    (line) => /model="(.*?)".*status="(.*?)"/.exec(line)?.slice(1) ?? [],
  )
  expect(models).toEqual([
    ['other', '404'],
    ['broken', '503'],
    ['good', '200'],
    ['good', '500'],
  ])
})

test('no client can make the list longer than it may be', () => {
  const metrics = createMetrics()
  for (let i = 0; i < 2000; i += 1) {
    const request = begin(metrics)
    request.asked?.(asked({ model: `model ${i}` }))
    request.attempt?.({ ...ATTEMPT, model: `model ${i}` })
    request.upstream?.(200)
    request.end(outcome({ usage: { inputTokens: 1 } }))
  }
  expect(linesOf(metrics, 'toolglot_requests_total').length).toBeLessThanOrEqual(301)
  const tokens = linesOf(metrics, 'toolglot_tokens_total')
  expect(tokens).toHaveLength(501)
  expect(tokens.at(-1)).toBe(
    'toolglot_tokens_total{direction="other",provider="other",model="other"} 1500',
  )
})

test('requests under way are seen, and others that ask no model', () => {
  const metrics = createMetrics()
  const request = begin(metrics, { method: 'GET', path: '/health' })
  begin(metrics)
  expect(linesOf(metrics, 'toolglot_requests_in_flight')).toEqual(['toolglot_requests_in_flight 2'])
  request.end(outcome())
  expect(linesOf(metrics, 'toolglot_requests_in_flight')).toEqual(['toolglot_requests_in_flight 1'])
  expect(linesOf(metrics, 'toolglot_requests_total')).toEqual([
    'toolglot_requests_total{endpoint="other",model="other",provider="none",status="200",streamed="false"} 1',
  ])
})
