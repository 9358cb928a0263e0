/** Counts of what the gateway does, for Prometheus. */
import { monotonicNow } from '../../client/clock.ts'
import { PROVIDER_ERROR_CODES } from '../../client/errors.ts'
import type { Usage } from '../../core/chat.ts'
import type { Asked, Attempt, GatewayObserver, Observation, Outcome } from '../observer.ts'
import { errorLabel } from './failure.ts'
import { createRegistry, OTHER, type Registry } from './registry.ts'

export interface Metrics extends GatewayObserver {
  /** In the text format of Prometheus. */
  render(): string
  /** Names that are told apart from the beginning; others once a provider has answered to them. */
  knowModels(names: Iterable<string>): void
}

/** Names come from clients, and there may be no end of them. */
const MAX_MODELS = 300

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640]
const SHORT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

const TOKEN_DIRECTIONS: readonly (readonly [direction: string, field: keyof Usage])[] = [
  ['input', 'inputTokens'],
  ['output', 'outputTokens'],
  ['cache_read', 'cacheReadTokens'],
  ['cache_write', 'cacheWriteTokens'],
  ['reasoning', 'reasoningTokens'],
]

export function createMetrics(): Metrics {
  const registry = createRegistry()
  const models = new Set<string>()
  let inFlight = 0
  registry.gauge('toolglot_requests_in_flight', 'Requests that are being answered.', () => inFlight)
  const meters = createMeters(registry)
  measureProcess(registry)

  function learn(model: string): void {
    if (models.size < MAX_MODELS) models.add(model)
  }

  const surroundings: Surroundings = {
    meters,
    learn,
    label: (model) => (models.has(model) ? model : OTHER),
    leave() {
      inFlight -= 1
    },
  }

  return {
    begin() {
      inFlight += 1
      return new MeteredRequest(surroundings)
    },
    render: registry.render,
    knowModels(names) {
      for (const name of names) learn(name)
    },
  }
}

interface Surroundings {
  readonly meters: Meters
  learn(model: string): void
  label(model: string): string
  leave(): void
}

class MeteredRequest implements Observation {
  readonly #surroundings: Surroundings
  // Without the bodies: they may be large, and a reply may be read for long.
  #asked: Omit<Asked, 'body'> | undefined
  #last: Attempt | undefined
  /** An attempt that failed, until it is known who is next. */
  #failed: { readonly attempt: Attempt; readonly error: string } | undefined

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  asked({ body: _, ...asked }: Asked): void {
    this.#asked = asked
  }

  attempt({ body: _, ...attempt }: Attempt): void {
    this.#countFallback(attempt)
    this.#last = attempt
  }

  switched(attempt: Attempt, failure: unknown): void {
    const error = errorLabel(failure)
    this.#failed = { attempt, error }
    this.#surroundings.meters.upstreamErrors.add(1, attempt.provider, error)
  }

  upstream(status: number): void {
    if (status < 400 && this.#asked) this.#surroundings.learn(this.#asked.model)
  }

  end(outcome: Outcome): void {
    const { meters, label, leave } = this.#surroundings
    leave()
    const asked = this.#asked
    const last = this.#last
    countOutcome(meters, outcome, asked, last, asked && last ? label(asked.model) : OTHER)
  }

  #countFallback(next: Attempt): void {
    if (!this.#failed) return
    const { attempt, error } = this.#failed
    this.#failed = undefined
    const isOther = next.provider !== attempt.provider || next.model !== attempt.model
    if (isOther) this.#surroundings.meters.fallbacks.add(1, attempt.provider, error)
  }
}

function countOutcome(
  meters: Meters,
  outcome: Outcome,
  asked: Omit<Asked, 'body'> | undefined,
  last: Attempt | undefined,
  model: string,
): void {
  const { endpoint = OTHER, streamed = false } = asked ?? {}
  const provider = last?.provider ?? 'none'
  meters.requests.add(1, endpoint, model, provider, String(outcome.status), String(streamed))
  meters.bytes.add(outcome.bytesIn, 'in')
  meters.bytes.add(outcome.bytesOut, 'out')
  if (outcome.turn !== undefined) meters.turns.add(1, outcome.turn)
  if (asked) countTimes(meters, outcome, endpoint, provider)
  for (const { protocol, repairs } of outcome.rescues) {
    meters.rescues.add(1, protocol, model)
    for (const code of repairs) meters.repairs.add(1, code)
  }
  if (outcome.loop) meters.loops.add(1, model)
  for (const code of outcome.issues) meters.issues.add(1, code)
  if (!last) return
  countTokens(meters, outcome.usage, last)
  countSpending(meters, outcome, asked, last)
  // The others are the gateway's or the client's own.
  if (outcome.error !== undefined && Object.hasOwn(PROVIDER_ERROR_CODES, outcome.error)) {
    meters.upstreamErrors.add(1, provider, outcome.error)
  }
}

function countTimes(meters: Meters, outcome: Outcome, endpoint: string, provider: string): void {
  const { durationMs, firstByteMs, addedMs } = outcome
  meters.duration.observe(durationMs / 1000, endpoint, provider)
  meters.added.observe(addedMs / 1000, endpoint)
  if (firstByteMs !== undefined) meters.firstByte.observe(firstByteMs / 1000, endpoint, provider)
}

function countTokens(meters: Meters, usage: Usage | undefined, last: Attempt): void {
  if (!usage) return
  for (const [direction, field] of TOKEN_DIRECTIONS) {
    const count = usage[field]
    if (count) meters.tokens.add(count, direction, last.provider, last.model)
  }
}

/** Keys are configured, so there are not too many of them. */
function countSpending(
  meters: Meters,
  { usage = {}, costUsd }: Outcome,
  asked: Omit<Asked, 'body'> | undefined,
  { provider, model }: Attempt,
): void {
  if (costUsd) meters.cost.add(costUsd, provider, model)
  const key = asked?.key
  if (key === undefined) return
  if (costUsd) meters.keyCost.add(costUsd, key)
  const { inputTokens, outputTokens } = usage
  if (inputTokens) meters.keyTokens.add(inputTokens, key, 'input')
  if (outputTokens) meters.keyTokens.add(outputTokens, key, 'output')
}

type Meters = ReturnType<typeof createMeters>

function createMeters({ counter, histogram }: Registry) {
  return {
    requests: counter('toolglot_requests_total', 'Requests that were answered.', [
      'endpoint',
      'model',
      'provider',
      'status',
      'streamed',
    ]),
    duration: histogram(
      'toolglot_request_duration_seconds',
      'From the arrival of a request to the end of its answer.',
      SECONDS,
      ['endpoint', 'provider'],
    ),
    firstByte: histogram(
      'toolglot_first_byte_seconds',
      'From the arrival of a request to the first byte of its answer.',
      SECONDS,
      ['endpoint', 'provider'],
    ),
    added: histogram(
      'toolglot_added_latency_seconds',
      'What the gateway itself added until the first byte.',
      SHORT_SECONDS,
      ['endpoint'],
    ),
    rescues: counter('toolglot_rescues_total', 'Calls that were found in text.', [
      'protocol',
      'model',
    ]),
    repairs: counter('toolglot_repairs_total', 'What was repaired in calls.', ['code']),
    issues: counter('toolglot_issues_total', 'What was wrong and could not be repaired.', ['code']),
    loops: counter(
      'toolglot_loops_total',
      'Requests of agents that make the same call again and again with the same result.',
      ['model'],
    ),
    fallbacks: counter(
      'toolglot_fallbacks_total',
      'Requests that went on to another provider or model.',
      ['from_provider', 'error'],
    ),
    tokens: counter(
      'toolglot_tokens_total',
      'Tokens, as providers count them; the ones of the cache are part of input, reasoning of output.',
      ['direction', 'provider', 'model'],
    ),
    cost: counter(
      'toolglot_cost_usd_total',
      'What replies cost in US dollars, by list prices or the prices of the configuration.',
      ['provider', 'model'],
    ),
    keyCost: counter(
      'toolglot_key_cost_usd_total',
      'What the replies to a key cost, in US dollars.',
      ['key'],
    ),
    keyTokens: counter('toolglot_key_tokens_total', 'Tokens of the replies to a key.', [
      'key',
      'direction',
    ]),
    upstreamErrors: counter('toolglot_upstream_errors_total', 'Attempts that failed.', [
      'provider',
      'code',
    ]),
    turns: counter(
      'toolglot_turns_total',
      'Replies that later requests may refer to, by where they are kept: everywhere, here or nowhere.',
      ['kept'],
    ),
    bytes: counter('toolglot_bytes_total', 'Bytes from clients and to clients.', ['direction']),
  }
}

function measureProcess({ gauge }: Registry): void {
  const startedAt = monotonicNow()
  gauge('toolglot_uptime_seconds', 'Since the gateway began.', () => {
    return (monotonicNow() - startedAt) / 1000
  })
  // Edge runtimes have no such thing.
  if (typeof process === 'undefined' || typeof process.memoryUsage !== 'function') return
  gauge('process_start_time_seconds', 'When the process began, in seconds since 1970.', () => {
    return Date.now() / 1000 - process.uptime()
  })
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge('process_heap_bytes', 'Memory that objects take.', () => process.memoryUsage().heapUsed)
}
