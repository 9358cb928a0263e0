/**
 * A span for each request, by the conventions of OpenTelemetry for servers and for generative AI. It goes
 * on the trace of the client when that has one.
 */
import {
  type Attributes,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { usageAttributes } from '../../otel/chat-span.ts'
import { providerName } from '../../otel/provider-names.ts'
import { markFailed } from '../../otel/span-scope.ts'
import type { Arrival, Asked, Attempt, GatewayObserver, Observation, Outcome } from '../observer.ts'
import { errorLabel, isFailure } from './failure.ts'
import { createRedaction } from './redaction.ts'

export interface OtelObserverOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider | undefined
}

const redact = createRedaction()

export function createOtelObserver(options: OtelObserverOptions = {}): GatewayObserver {
  return {
    begin(arrival) {
      // Asked each time: the global provider may be set after us.
      const tracer = (options.tracerProvider ?? trace).getTracer('toolglot')
      const { method, headers, at } = arrival
      const parent = propagation.extract(ROOT_CONTEXT, headers)
      const attributes = arrivalAttributes(arrival)
      const kind = SpanKind.SERVER
      return observe(tracer.startSpan(method, { kind, attributes, startTime: at }, parent), method)
    },
  }
}

function observe(span: Span, method: string): Observation {
  return {
    asked(asked) {
      // The path may hold a model's name; the endpoint is one of a few.
      span.updateName(`${method} ${asked.endpoint}`)
      span.setAttributes(askedAttributes(asked))
    },
    attempt(attempt) {
      const provider = providerName(attempt.provider)
      span.setAttribute('gen_ai.provider.name', provider)
      span.addEvent('toolglot.attempt', attemptAttributes(attempt))
    },
    switched(from, error) {
      span.addEvent('toolglot.switch', {
        ...attemptAttributes(from),
        'error.type': errorLabel(error),
      })
    },
    upstream(status) {
      span.setAttribute('toolglot.upstream.status_code', status)
    },
    end(outcome) {
      for (const { protocol, tool, repairs } of outcome.rescues) {
        span.addEvent('toolglot.rescue', {
          'toolglot.rescued.protocol': protocol,
          'gen_ai.tool.name': tool,
          ...(repairs.length > 0 && { 'toolglot.repairs': [...repairs] }),
        })
      }
      span.setAttributes(outcomeAttributes(outcome))
      setStatus(span, outcome)
      span.end()
    },
  }
}

function arrivalAttributes({ id, method, path, headers }: Arrival): Attributes {
  const [pathname = ''] = redact(path).split('?')
  const agent = headers['user-agent']
  return {
    'http.request.method': method,
    'url.path': pathname,
    'toolglot.request.id': id,
    ...(agent !== undefined && { 'user_agent.original': agent }),
  }
}

function askedAttributes({ endpoint, model, streamed, tools, key }: Asked): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    ...(streamed && { 'gen_ai.request.stream': true }),
    'toolglot.endpoint': endpoint,
    'toolglot.tools': tools,
    ...(key !== undefined && { 'toolglot.key': key }),
  }
}

function attemptAttributes({ provider, model, dialect, lane }: Attempt): Attributes {
  return {
    'gen_ai.provider.name': providerName(provider),
    'gen_ai.request.model': model,
    'toolglot.dialect': dialect,
    'toolglot.lane': lane,
  }
}

function outcomeAttributes(outcome: Outcome): Attributes {
  const { status, firstByteMs, addedMs, usage, rescues, issues, fallbacks } = outcome
  const repairs = [...new Set(rescues.flatMap((rescue) => rescue.repairs))]
  const [rescued] = rescues
  return {
    'http.response.status_code': status,
    'toolglot.added_seconds': addedMs / 1000,
    'toolglot.fallbacks': fallbacks,
    ...(firstByteMs !== undefined && {
      'gen_ai.response.time_to_first_chunk': firstByteMs / 1000,
    }),
    ...(usage && usageAttributes(usage)),
    ...(rescued && { 'toolglot.rescued.protocol': rescued.protocol }),
    ...(repairs.length > 0 && { 'toolglot.repairs': repairs }),
    ...(issues.length > 0 && { 'toolglot.issues': [...new Set(issues)] }),
  }
}

/** For a server, what the client did wrong is no failure. Texts of errors may quote contents. */
function setStatus(span: Span, outcome: Outcome): void {
  const { status, error } = outcome
  if (isFailure(outcome)) markFailed(span, error ?? String(status), undefined)
  else if (error !== undefined) span.setAttribute('error.type', error)
}
