/** Where spans and measurements go, and how much they tell. */
import {
  type Histogram,
  type MeterProvider,
  metrics,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { checkObject } from '../core/caller-input.ts'

export interface TelemetryOptions {
  /** True: messages, arguments, results and texts of errors are recorded. They may be private. Default false. */
  readonly captureContent?: boolean
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider
}

export interface Telemetry {
  readonly captureContent: boolean
  readonly tracer: Tracer
  readonly tokens: Histogram
  readonly duration: Histogram
  readonly firstChunk: Histogram
}

const NAME = 'toolglot'

/** The buckets that the conventions advise. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)
const SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power)

export function createTelemetry(options: TelemetryOptions): Telemetry {
  checkObject('options', options, '{ captureContent: true }')
  const { captureContent = false, tracerProvider, meterProvider } = options
  const meter = (meterProvider ?? metrics).getMeter(NAME)
  return {
    captureContent,
    tracer: (tracerProvider ?? trace).getTracer(NAME),
    tokens: meter.createHistogram('gen_ai.client.token.usage', {
      description: 'Tokens read and written',
      unit: '{token}',
      advice: { explicitBucketBoundaries: TOKENS },
    }),
    duration: meter.createHistogram('gen_ai.client.operation.duration', {
      description: 'How long a model was asked',
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
    }),
    firstChunk: meter.createHistogram('gen_ai.client.operation.time_to_first_chunk', {
      description: 'How long the first piece of a streamed reply took',
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
    }),
  }
}
