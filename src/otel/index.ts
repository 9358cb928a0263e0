/**
 * Spans and metrics of OpenTelemetry, by its conventions for generative AI.
 *
 * @module
 */
export { type AgentTelemetryOptions, runTracedAgent } from './run-traced-agent.ts'
export type { TelemetryOptions } from './telemetry.ts'
export { traceClient } from './trace-client.ts'
