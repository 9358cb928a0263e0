/** One line for each request, through pino. Nothing else imports it. */
import { type DestinationStream, type Level, type Logger, pino } from 'pino'
import type { Secrets } from '../../client/secrets.ts'
import { checkObject } from '../../core/caller-input.ts'
import type {
  Arrival,
  Asked,
  Attempt,
  GatewayObserver,
  Observation,
  Outcome,
  Remark,
} from '../observer.ts'
import { type CapturedText, createCapturedText } from './captured-text.ts'
import { errorLabel, isFailure } from './failure.ts'
import { prettyLine } from './pretty-line.ts'
import { createRedaction, type Redact } from './redaction.ts'

export type { Logger } from 'pino'

export interface LoggerOptions {
  /** Default `info`; `silent` for nothing. */
  readonly level?: Level | 'silent' | undefined
  /** True: lines for people, instead of JSON. */
  readonly pretty?: boolean | undefined
  /** Default: the standard output. */
  readonly destination?: { write(line: string): unknown } | undefined
  /** Paths to more fields that are not to be shown, as pino has them. */
  readonly redact?: readonly string[] | undefined
}

export interface LogObserverOptions {
  readonly logger: Logger
  /** True: what was asked and answered is logged, up to 16 KB of each. Default false. */
  readonly payloads?: boolean | undefined
  /** Keys that are hidden in whatever is logged, besides what looks like one. */
  readonly secrets?: Pick<Secrets, 'hide'> | undefined
}

const SECRET_HEADERS = [
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'x-amz-security-token',
  'cookie',
  'set-cookie',
]

const MAX_PAYLOAD = 16 * 1024
/** So much more is looked at, so that a key at the end is whole when it is looked for. */
const MARGIN = 1024

export function createLogger(options: LoggerOptions = {}): Logger {
  checkObject('options', options, "{ level: 'info' }")
  const { level = 'info', pretty = false, destination, redact = [] } = options
  const paths = SECRET_HEADERS.flatMap((name) => [
    `["${name}"]`,
    `headers["${name}"]`,
    `*.headers["${name}"]`,
  ])
  const settings = {
    level,
    base: null,
    redact: { paths: [...paths, ...redact], censor: '***' },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return pino(settings, streamTo(destination, pretty))
}

function streamTo(
  destination: { write(line: string): unknown } | undefined,
  isPretty: boolean,
): DestinationStream {
  const out = destination ?? pino.destination(1)
  return isPretty ? { write: (line) => void out.write(prettyLine(line)) } : out
}

export function createLogObserver(options: LogObserverOptions): GatewayObserver {
  checkObject('options', options, '{ logger: createLogger() }')
  checkObject('logger', options.logger, 'what createLogger() gives')
  const { logger, payloads = false } = options
  const redact = createRedaction(options.secrets)
  return {
    begin(arrival) {
      if (!logger.isLevelEnabled('error')) return undefined
      return observe(arrival, logger, redact, payloads)
    },
  }
}

function observe(
  arrival: Arrival,
  logger: Logger,
  redact: Redact,
  withPayloads: boolean,
): Observation {
  let asked: Asked | undefined
  let last: Attempt | undefined
  const failures: string[] = []
  const payloads = withPayloads ? createPayloads(redact) : undefined

  return {
    asked(given) {
      // The body is not kept unless it is wanted: it may be large.
      asked = { ...given, body: NOTHING }
      payloads?.request.add(given.body)
    },
    attempt({ body, ...attempt }) {
      last = attempt
      payloads?.attempt(body)
    },
    switched({ provider, model }, error) {
      failures.push(`${provider}/${model}: ${errorLabel(error)}`)
    },
    ...(payloads && {
      upstreamBytes: (bytes: Uint8Array) => payloads.upstreamReply.add(bytes),
      clientBytes: (bytes: Uint8Array | string) => payloads.reply.add(bytes),
    }),
    end(outcome) {
      const line = {
        ...arrivalFields(arrival, redact),
        ...askedFields(asked, last),
        ...outcomeFields(outcome, redact),
        ...(failures.length > 0 && { failures }),
        ...payloads?.fields(),
      }
      logger[levelOf(outcome, asked)](line, 'request')
    },
  }
}

const NOTHING = new Uint8Array()

function levelOf(outcome: Outcome, asked: Asked | undefined): Level {
  const { status, issues } = outcome
  if (isFailure(outcome)) return 'error'
  if (status >= 400 || issues.length > 0 || outcome.loop || isKeptLess(outcome)) return 'warn'
  // Whether the gateway is well is asked every few seconds.
  return asked ? 'info' : 'debug'
}

/** A later request may not find what it refers to. */
function isKeptLess({ turn }: Outcome): boolean {
  return turn !== undefined && turn !== 'everywhere'
}

function arrivalFields({ id, method, path }: Arrival, redact: Redact) {
  return { id, method, path: redact(path) }
}

function askedFields(asked: Asked | undefined, last: Attempt | undefined) {
  return {
    ...(asked && {
      endpoint: asked.endpoint,
      model: asked.model,
      streamed: asked.streamed,
      tools: asked.tools,
      ...(asked.key !== undefined && { key: asked.key }),
    }),
    ...(last && { provider: last.provider, upstreamModel: last.model, lane: last.lane }),
  }
}

function outcomeFields(outcome: Outcome, redact: Redact) {
  const { status, error, message, usage, rescues, fallbacks, firstByteMs } = outcome
  const issues = remarked(outcome, undefined, redact)
  const notes = remarked(outcome, 'info', redact)
  const repairs = rescues.flatMap((rescue) => rescue.repairs)
  return {
    status,
    ...(error !== undefined && { error }),
    ...(message !== undefined && { reason: redact(message) }),
    durationMs: rounded(outcome.durationMs),
    addedMs: rounded(outcome.addedMs),
    ...(firstByteMs !== undefined && { firstByteMs: rounded(firstByteMs) }),
    ...(rescues.length > 0 && {
      rescues: rescues.map(({ protocol, tool }) => ({ protocol, tool })),
    }),
    ...(repairs.length > 0 && { repairs }),
    ...(issues.length > 0 && { issues }),
    ...(notes.length > 0 && { notes }),
    ...(fallbacks > 0 && { fallbacks }),
    ...(outcome.loop && { loop: { tool: outcome.loop.tool, times: outcome.loop.times } }),
    ...(outcome.fitted && { maxTokens: outcome.fitted }),
    ...(isKeptLess(outcome) && { turn: outcome.turn }),
    ...(usage && { usage }),
    bytesIn: outcome.bytesIn,
    bytesOut: outcome.bytesOut,
  }
}

/** Remarks of one weight, as `lost-field: tools.web_search`. */
function remarked(outcome: Outcome, wanted: Remark['level'], redact: Redact): string[] {
  const { issues, remarks = issues.map((code): Remark => ({ code, fields: [] })) } = outcome
  return remarks.flatMap(({ code, fields, level }) => {
    if (level !== wanted) return []
    return [fields.length > 0 ? `${code}: ${redact(fields.join(', '))}` : code]
  })
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}

function createPayloads(redact: Redact) {
  const fresh = (): CapturedText => createCapturedText(MAX_PAYLOAD + MARGIN)
  const request = fresh()
  const upstreamReply = fresh()
  const reply = fresh()
  let upstreamRequest = fresh()
  const shown = (captured: CapturedText): string => cut(redact(captured.text()), captured.isCut)

  return {
    request,
    upstreamReply,
    reply,
    /** The last one counts. */
    attempt(body: string | undefined) {
      upstreamRequest = fresh()
      if (body !== undefined) upstreamRequest.add(body)
    },
    fields: () => ({
      request: shown(request),
      upstreamRequest: shown(upstreamRequest),
      upstreamReply: shown(upstreamReply),
      reply: shown(reply),
    }),
  }
}

/** What is at the end of a text that goes on may be half of a key. */
function cut(text: string, goesOn: boolean): string {
  const end = Math.min(MAX_PAYLOAD, goesOn ? text.length - MARGIN : text.length)
  return end < text.length ? `${text.slice(0, Math.max(0, end))}… (cut)` : text
}
