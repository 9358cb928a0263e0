/**
 * What a failure means: is the same client asked again, is the next one asked, and is the one that failed
 * left alone for a while. A request that cannot be answered is no reason to avoid a healthy provider.
 */
import type { ProviderError, ProviderErrorCode } from '../errors.ts'

/** How long a client is left alone: not at all, longer with each failure, or long from the start. */
export type Cooldown = 'none' | 'growing' | 'long'

export interface FailurePolicy {
  /** How often the same client may be asked again, within what the caller allows. */
  readonly retries: number
  /** Whether the next client is asked. */
  readonly failsOver: boolean
  readonly cooldown: Cooldown
}

const PASSING: FailurePolicy = { retries: Infinity, failsOver: true, cooldown: 'growing' }
const LASTING: FailurePolicy = { retries: 0, failsOver: true, cooldown: 'long' }
/** Another model may be able to do it. */
const ELSEWHERE: FailurePolicy = { retries: 0, failsOver: true, cooldown: 'none' }
/** The others would say the same. */
const REFUSED: FailurePolicy = { retries: 0, failsOver: false, cooldown: 'none' }
/** The model wrote a call that nobody can read; its next try is often better. */
const MODEL_FAULT: FailurePolicy = { retries: 1, failsOver: true, cooldown: 'none' }

const POLICIES: Readonly<Record<ProviderErrorCode, FailurePolicy>> = {
  rate_limited: PASSING,
  overloaded: PASSING,
  server_error: PASSING,
  transport: PASSING,
  // Each try costs the whole time-out.
  timeout: { ...PASSING, retries: 1 },
  quota_exhausted: LASTING,
  unauthorized: LASTING,
  not_found: LASTING,
  context_length_exceeded: ELSEWHERE,
  unsupported: ELSEWHERE,
  bad_request: REFUSED,
}

/**
 * What one model or service does not take and another may: a parameter, pictures, a role. No error code tells
 * it from a request that is wrong for all, so this is the wording of OpenAI, Anthropic, Google, Mistral, vLLM
 * and llama.cpp.
 */
const OWN_LIMIT =
  /unsupported (?:parameter|value|content|role|field|media|image|file|format)|(?:unknown|unrecognized|unexpected) (?:request )?(?:parameter|argument|field|name|message role)|extra inputs are not permitted|(?:does not|doesn't|do not|don't|cannot) (?:currently )?(?:support|accept|take|handle|process)|(?:is|are) not (?:currently )?(?:supported|available|enabled)|not multimodal|not a multimodal|no endpoints found that support|only supports?/i

/** Longer messages are pages or echoes of the request, which may speak of anything. */
const MAX_READ = 2000

export function policyFor({ code, retryable, message }: ProviderError): FailurePolicy {
  if (code === 'bad_request' && retryable) return MODEL_FAULT
  if (code === 'bad_request' && OWN_LIMIT.test(message.slice(0, MAX_READ))) return ELSEWHERE
  const policy = POLICIES[code]
  // The provider itself may say that trying again does not help.
  return retryable ? policy : { ...policy, retries: 0 }
}
