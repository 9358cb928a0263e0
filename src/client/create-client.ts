/** A client for one model of one provider. */
import type { Quirks } from '../core/dialect.ts'
import type { Protocol } from '../core/protocol.ts'
import { getProtocol, type ProtocolId } from '../protocols/registry.ts'
import type { Provider, Route } from '../providers/provider.ts'
import { getProvider, type ProviderId } from '../providers/registry.ts'
import { type Attempts, createAttempts, type Retry } from './attempts.ts'
import type { ChatClient, ClientRequest, RequestOptions } from './chat-client.ts'
import { createChatStream } from './chat-stream.ts'
import { type ApiKey, createCredentials } from './credentials.ts'
import { type Environment, processEnvironment, resolveEndpoint } from './endpoint.ts'
import { ProviderError } from './errors.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { planRequest, type RequestPlan, routeOf } from './request-plan.ts'
import { type RetryPolicy, retryPolicy } from './retry.ts'
import { createSecrets } from './secrets.ts'
import { type Timeouts, USUAL_TIMEOUTS } from './watch.ts'

export interface ClientOptions {
  readonly provider: ProviderId | Provider | (string & {})
  readonly model: string
  /** The key, or a function that has a fresh one; else the provider's environment variable. */
  readonly apiKey?: ApiKey | undefined
  readonly baseUrl?: string | undefined
  /** What the provider needs besides a key, such as a region. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly fetch?: typeof fetch | undefined
  /**
   * `native`: tools go as the provider wants them. `text`: they are described in the system prompt and
   * calls are read from the text. Default `auto`: native where that is known to work.
   */
  readonly toolMode?: 'auto' | 'native' | 'text' | undefined
  /** The format for calls in text mode. Default `text-tagged`. */
  readonly protocol?: ProtocolId | Protocol | (string & {}) | undefined
  /** In text mode, one line a tool instead of its whole schema. Default `auto`: when they are long. */
  readonly compact?: boolean | 'auto' | undefined
  readonly timeouts?: Timeouts | undefined
  /** Attempts after the first one, or more about them. Default 2. */
  readonly retries?: number | Partial<RetryPolicy> | undefined
  /** The longest answer. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** What this server does differently from what is known of the provider. */
  readonly quirks?: Quirks | undefined
  /** Default: the variables of the process. */
  readonly env?: Environment | undefined
  /** Source of chance for waits: a number in [0, 1). */
  readonly random?: (() => number) | undefined
  /** Told of each failed attempt that is followed by another. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

const MAX_BODY_BYTES = 64 * 1024 * 1024

/**
 * A client for one model of one provider.
 *
 * @example
 * const client = createClient({ provider: 'ollama', model: 'qwen3' })
 * const { message } = await client.complete({ messages, tools })
 *
 * @throws TypeError when the provider is unknown or something that it needs is missing.
 */
export function createClient(options: ClientOptions): ChatClient {
  const provider = getProvider(options.provider)
  const { model: usual, protocol: format = 'text-tagged', compact, quirks } = options
  const protocol = typeof format === 'string' ? getProtocol(format) : format
  const modes = createModes(options.toolMode)
  const attempts = createClientAttempts(openExchange(provider, options), modes, options)

  function plan(
    request: ClientRequest,
    stream: boolean,
    { fetch: sender, rescue }: RequestOptions,
  ): RequestPlan {
    const model = request.model ?? usual
    const route = routeOf(provider, model)
    const mode = modes.of(model, route)
    const whole = { ...request, model }
    return planRequest(whole, {
      mode,
      stream,
      route,
      protocol,
      compact,
      quirks,
      rescue,
      fetch: sender,
    })
  }

  return {
    provider: provider.id,
    model: usual,
    get capabilities() {
      const route = routeOf(provider, usual)
      const toolMode = modes.of(usual, route)
      const { nativeTools, streamsTools, streams = true } = route.capabilities
      return {
        nativeTools: nativeTools !== false && !modes.lackTools(usual),
        streamsTools: toolMode === 'native' ? streamsTools : streams,
        toolMode,
      }
    },
    complete: (request, given = {}) => attempts.complete(() => plan(request, false, given), given),
    stream: (request, given = {}) =>
      createChatStream((ending) =>
        attempts.stream(() => plan(request, true, given), given, ending),
      ),
  }
}

function openExchange(provider: Provider, options: ClientOptions): Exchange {
  const { env = processEnvironment(), baseUrl, settings, apiKey } = options
  const { timeouts = {}, maxBodyBytes = MAX_BODY_BYTES } = options
  // Looked up with each request: a test or a polyfill may come later.
  const sender: typeof fetch = options.fetch ?? ((...request) => fetch(...request))
  const secrets = createSecrets()
  for (const value of Object.values(options.headers ?? {})) {
    secrets.add(value)
    // A provider repeats a key without the word before it.
    secrets.add(/^\w+ (\S+)$/.exec(value)?.[1])
  }
  const endpoint = resolveEndpoint(provider, { env, baseUrl, settings, headers: options.headers })
  const credentials = createCredentials(provider, endpoint, {
    apiKey,
    env,
    fetch: sender,
    secrets,
  })
  const { headers } = endpoint
  const transport = { fetch: sender, credentials, secrets, headers, timeouts, maxBodyBytes }
  return createExchange(provider, endpoint, transport)
}

function createClientAttempts(exchange: Exchange, modes: Modes, options: ClientOptions): Attempts {
  const { retries, timeouts, random = Math.random, onRetry } = options
  return createAttempts({
    exchange,
    policy: retryPolicy(retries),
    totalMs: timeouts?.totalMs ?? USUAL_TIMEOUTS.totalMs,
    random,
    onRetry,
    learns: modes.learn,
  })
}

/** How tools reach each model, as far as is known. */
interface Modes {
  of(model: string, route: Route): 'native' | 'text'
  lackTools(model: string): boolean
  /** True when the failure says that this model takes no tools, and words can be tried instead. */
  learn(error: unknown, plan: RequestPlan): boolean
}

function createModes(toolMode: ClientOptions['toolMode'] = 'auto'): Modes {
  const withoutTools = new Set<string>()
  return {
    of(model, { capabilities }) {
      if (toolMode !== 'auto') return toolMode
      return capabilities.nativeTools && !withoutTools.has(model) ? 'native' : 'text'
    },
    lackTools: (model) => withoutTools.has(model),
    learn(error, { sendsTools, model }) {
      if (toolMode !== 'auto' || !sendsTools) return false
      if (!(error instanceof ProviderError) || error.code !== 'unsupported') return false
      withoutTools.add(model)
      return true
    },
  }
}
