/** What clients are told in headers besides the reply itself. */
import { remembering } from '../core/remember.ts'
import type { Answered } from './answering.ts'
import type { Failure } from './gateway-error.ts'
import type { CallLoop } from './loop-guard.ts'
import type { Report } from './question.ts'
import { shownName } from './shown-text.ts'
import type { Target } from './target.ts'

/** Proxies in between must not wait for more, or pack it. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export function toldHeaders({ target, lane }: Answered, report: Report): Record<string, string> {
  return {
    'x-toolglot-model': nameOf(target),
    'x-toolglot-lane': lane,
    ...(report.fitted && { 'x-toolglot-max-tokens': String(report.fitted.sent) }),
    ...(report.loop && { 'x-toolglot-loop': loopText(report.loop) }),
    ...(report.fallbacks > 0 && { 'x-toolglot-fallbacks': String(report.fallbacks) }),
    ...rescueHeaders(report),
  }
}

const nameOf = remembering(({ name, model }: Target) => headerText(`${name}/${model}`))

export function rescueHeaders({ rescues, issues }: Report): Record<string, string> {
  // Mostly there is nothing to tell.
  if (rescues.length === 0 && issues.length === 0) return {}
  const protocols = new Set(rescues.map(({ protocol }) => protocol))
  const repairs = new Set(rescues.flatMap((one) => one.repairs))
  return {
    ...(protocols.size > 0 && { 'x-toolglot-rescued': [...protocols].join(', ') }),
    ...(repairs.size > 0 && { 'x-toolglot-repairs': [...repairs].join(', ') }),
    ...(issues.length > 0 && { 'x-toolglot-issues': [...new Set(issues)].join(', ') }),
  }
}

function loopText({ tool, times }: CallLoop): string {
  return `${times}; ${headerText(shownName(tool))}`
}

/** Only what may stand in a header. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}

export function errorHeaders(failure: Failure): Record<string, string> {
  const { code, retryAfterMs, requestId, allow } = failure
  return {
    'x-toolglot-error': code,
    ...(allow !== undefined && { allow }),
    ...(retryAfterMs !== undefined && {
      'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))),
    }),
    ...(requestId !== undefined && { 'x-request-id': headerText(requestId) }),
  }
}
