/** APIs that clients may know and a gateway cannot serve: an answer that says so is better than "nothing at this path". */
import { GatewayError } from '../gateway-error.ts'
import { shownName } from '../shown-text.ts'

const KEPT = 'what it makes is kept at one provider, and this gateway has none of its own'

const UNSERVED: readonly (readonly [path: RegExp, why: string])[] = [
  [
    /^\/v1\/messages\/batches(?:\/|$)/,
    'the gateway runs no batches; send the requests to /v1/messages',
  ],
  [/^\/v1\/batches(?:\/|$)/, 'the gateway runs no batches; send the requests one by one'],
  [
    /^\/v1\/(?:files|uploads|vector_stores|assistants|threads|containers|fine_tuning|evals|videos)(?:\/|$)/,
    KEPT,
  ],
  [/^\/v1\/realtime(?:\/|$)/, 'the gateway passes on no websockets'],
  [/^\/v1(?:beta|alpha)\/(?:cachedContents|files|batches|tunedModels)(?:\/|$)/, KEPT],
  [
    /^\/v1(?:beta|alpha)\/models\/.+:(?:batchGenerateContent|asyncBatchEmbedContent)$/,
    'the gateway runs no batches; send the requests one by one',
  ],
  [
    /^\/v1(?:beta|alpha)\/models\/.+:predict(?:LongRunning)?$/,
    'pictures and videos are not passed on in this form',
  ],
]

/** Undefined for a path that nobody knows. */
export function unservedAt(path: string): GatewayError | undefined {
  const why = UNSERVED.find(([pattern]) => pattern.test(path))?.[1]
  return why === undefined
    ? undefined
    : new GatewayError('not_supported', `${shownName(path)} is not available here: ${why}`)
}
