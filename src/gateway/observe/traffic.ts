/** The last requests with all that was said, for the page that shows them. */
import { checkKeys, type OptionKeys } from '../../core/check-options.ts'
import type {
  Arrival,
  Asked,
  Attempt,
  GatewayObserver,
  Observation,
  Outcome,
  Rescued,
} from '../observer.ts'
import { shownMessage, shownName } from '../shown-text.ts'
import { type CapturedText, createCapturedText } from './captured-text.ts'
import { errorLabel } from './failure.ts'
import { createRedaction } from './redaction.ts'

export interface TrafficLogOptions {
  /** How many requests are kept. Default 100. */
  readonly maxExchanges?: number | undefined
  /** How much is kept of each of the four texts of a request. Default 256 KiB. */
  readonly maxBytesEach?: number | undefined
  /** How much is kept of all together; the oldest are forgotten first. Default 64 MiB. */
  readonly maxBytes?: number | undefined
}

export interface TrafficLog extends GatewayObserver {
  /** The newest first. */
  list(): TrafficSummary[]
  get(id: string): TrafficEntry | undefined
  /** Told of a request when it comes, when more is known (ten times a second at most), and when it is over. */
  subscribe(listener: (summary: TrafficSummary) => void): () => void
}

/** Plain data, for JSON. */
export interface TrafficSummary {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly userAgent?: string | undefined
  readonly isOver: boolean
  readonly endpoint?: string | undefined
  readonly model?: string | undefined
  readonly streamed?: boolean | undefined
  readonly tools?: number | undefined
  readonly key?: string | undefined
  /** Who was asked last. */
  readonly provider?: string | undefined
  readonly upstreamModel?: string | undefined
  readonly dialect?: string | undefined
  readonly lane?: Attempt['lane'] | undefined
  readonly upstreamStatus?: number | undefined
  readonly attempts: number
  /** So far. */
  readonly upstreamBytes: number
  readonly clientBytes: number
  readonly outcome?: Outcome | undefined
}

export interface TrafficEntry extends TrafficSummary {
  /** As the client sent it. */
  readonly request: TrafficText
  /** As the provider asked last was sent it. */
  readonly upstreamRequest: TrafficText
  /** As the provider sent it. */
  readonly upstreamReply: TrafficText
  /** As the client got it. */
  readonly reply: TrafficText
  readonly attemptList: readonly TrafficAttempt[]
}

export interface TrafficText {
  readonly text: string
  /** All bytes, also those that are not in the text. */
  readonly bytes: number
  readonly isCut: boolean
}

export interface TrafficAttempt {
  readonly provider: string
  readonly model: string
  readonly dialect: string
  readonly lane: Attempt['lane']
  /** The code of what it failed with. */
  readonly error?: string | undefined
  readonly message?: string | undefined
}

type Listener = (summary: TrafficSummary) => void

const KEYS: OptionKeys<TrafficLogOptions> = { maxExchanges: 0, maxBytesEach: 0, maxBytes: 0 }

const EVERY_MS = 100
const MAX_ATTEMPTS = 50

export function createTrafficLog(options: TrafficLogOptions = {}): TrafficLog {
  checkKeys('createTrafficLog', options, KEYS, '{ maxExchanges: 100 }')
  const { maxExchanges = 100, maxBytesEach = 256 * 1024, maxBytes = 64 * 1024 * 1024 } = options
  /** The oldest first. */
  const exchanges = new Map<string, Exchange>()
  const news = createNews()

  function forgetOldest(): void {
    let bytes = 0
    for (const exchange of exchanges.values()) bytes += exchange.keptBytes()
    for (const [id, exchange] of exchanges) {
      if (exchanges.size <= maxExchanges && bytes <= maxBytes) break
      bytes -= exchange.keptBytes()
      exchange.drop()
      exchanges.delete(id)
    }
  }

  return {
    begin(arrival) {
      // Everything else asks nothing of a model.
      if (arrival.method !== 'POST') return undefined
      const exchange = createExchange(arrival, maxBytesEach)
      exchanges.set(arrival.id, exchange)
      forgetOldest()
      news.tell(exchange)
      return observe(exchange, news, forgetOldest)
    },
    list: () => [...exchanges.values()].reverse().map((exchange) => exchange.summary()),
    get: (id) => exchanges.get(id)?.entry(),
    subscribe: news.subscribe,
  }
}

function observe(exchange: Exchange, news: News, onEnd: () => void): Observation {
  return {
    asked(asked) {
      exchange.ask(asked)
      news.tellSoon(exchange)
    },
    attempt(attempt) {
      exchange.attempt(attempt)
      news.tellSoon(exchange)
    },
    switched(_, error) {
      exchange.failLast(error)
      news.tellSoon(exchange)
    },
    upstream(status) {
      exchange.upstreamStatus = status
      news.tellSoon(exchange)
    },
    upstreamBytes(bytes) {
      exchange.upstreamReply.add(bytes)
      news.tellSoon(exchange)
    },
    clientBytes(bytes) {
      exchange.reply.add(bytes)
      news.tellSoon(exchange)
    },
    end(outcome) {
      exchange.outcome = copyOf(outcome)
      onEnd()
      news.tell(exchange)
    },
  }
}

interface News {
  tell(exchange: Exchange): void
  tellSoon(exchange: Exchange): void
  subscribe(listener: Listener): () => void
}

function createNews(): News {
  const listeners = new Set<Listener>()
  const changed = new Set<Exchange>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function tell(exchange: Exchange): void {
    changed.delete(exchange)
    if (listeners.size === 0) return
    const summary = exchange.summary()
    for (const listener of listeners) listener(summary)
  }

  function tellAll(): void {
    timer = undefined
    for (const exchange of changed) tell(exchange)
  }

  return {
    tell,
    tellSoon(exchange) {
      if (listeners.size === 0) return
      changed.add(exchange)
      timer ??= setTimeout(tellAll, EVERY_MS)
    },
    subscribe(given) {
      // Whoever subscribes twice is told twice.
      const listener: Listener = (summary) => given(summary)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearTimeout(timer)
        timer = undefined
        changed.clear()
      }
    },
  }
}

interface Exchange {
  readonly upstreamReply: CapturedText
  readonly reply: CapturedText
  upstreamStatus: number | undefined
  outcome: Outcome | undefined
  ask(asked: Asked): void
  attempt(attempt: Attempt): void
  failLast(error: unknown): void
  keptBytes(): number
  /** Nobody will ask for it; when it is still under way, nothing more is kept. */
  drop(): void
  summary(): TrafficSummary
  entry(): TrafficEntry
}

const redact = createRedaction()

/** What is kept of a request besides its texts: names, which are cut, and numbers. */
const OWN_BYTES = 4096

function attemptBytes(attempts: readonly TrafficAttempt[]): number {
  const lengths = attempts.map(({ model, message = '' }) => 2 * (model.length + message.length))
  return lengths.reduce((sum, length) => sum + length, 0)
}

function createExchange(arrival: Arrival, maxBytes: number): Exchange {
  const { id, at, method, headers } = arrival
  // Of the headers, only this one is anybody's concern.
  const agent = headers['user-agent']
  const userAgent = agent === undefined ? undefined : shownName(agent)
  // Some clients send their key in the address.
  const arrived = { id, at, method, path: redact(arrival.path), userAgent }
  const request = createCapturedText(maxBytes)
  const attempts: TrafficAttempt[] = []
  let upstreamRequest = createCapturedText(maxBytes)
  let asked: Omit<Asked, 'body'> | undefined
  let attemptCount = 0
  let limit = maxBytes

  function texts(): readonly CapturedText[] {
    return [request, upstreamRequest, exchange.upstreamReply, exchange.reply]
  }

  const exchange: Exchange = {
    upstreamReply: createCapturedText(maxBytes),
    reply: createCapturedText(maxBytes),
    upstreamStatus: undefined,
    outcome: undefined,

    ask({ body, ...rest }) {
      asked = rest
      request.add(body)
    },
    attempt({ body, provider, model, dialect, lane }) {
      attemptCount += 1
      if (attempts.length >= MAX_ATTEMPTS) attempts.shift()
      attempts.push({ provider, model, dialect, lane })
      upstreamRequest = createCapturedText(limit)
      if (body !== undefined) upstreamRequest.add(body)
    },
    failLast(error) {
      const last = attempts.pop()
      const message = error instanceof Error ? shownMessage(redact(error.message)) : undefined
      if (last) attempts.push({ ...last, error: shownName(errorLabel(error)), message })
    },
    keptBytes: () =>
      texts().reduce((sum, text) => sum + text.keptBytes, OWN_BYTES + attemptBytes(attempts)),
    drop() {
      limit = 0
      for (const text of texts()) text.drop()
    },
    summary() {
      const last = attempts.at(-1)
      return {
        ...arrived,
        ...asked,
        ...(last && {
          provider: last.provider,
          upstreamModel: last.model,
          dialect: last.dialect,
          lane: last.lane,
        }),
        upstreamStatus: exchange.upstreamStatus,
        attempts: attemptCount,
        upstreamBytes: exchange.upstreamReply.bytes,
        clientBytes: exchange.reply.bytes,
        isOver: exchange.outcome !== undefined,
        outcome: exchange.outcome,
      }
    },
    entry: () => ({
      ...exchange.summary(),
      request: shown(request),
      upstreamRequest: shown(upstreamRequest),
      upstreamReply: shown(exchange.upstreamReply),
      reply: shown(exchange.reply),
      attemptList: [...attempts],
    }),
  }
  return exchange
}

function shown(captured: CapturedText): TrafficText {
  return { text: redact(captured.text()), bytes: captured.bytes, isCut: captured.isCut }
}

/** The lists in it may belong to somebody else. */
function copyOf(outcome: Outcome): Outcome {
  const rescues: Rescued[] = outcome.rescues.map((one) => ({ ...one, repairs: [...one.repairs] }))
  return { ...outcome, rescues, issues: [...outcome.issues] }
}
