/** A client for one model of one provider. */
import { checkFunction, checkText, refused } from '../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import type { Quirks } from '../core/dialect.ts'
import type { Protocol } from '../core/protocol.ts'
import { toolListRoom } from '../prompt/fitted-list.ts'
import { getProtocol, type ProtocolId } from '../protocols/registry.ts'
import type { Provider, Route } from '../providers/provider.ts'
import { getProvider, type ProviderId } from '../providers/registry.ts'
import {
  checkReading,
  mergeReading,
  READING_KEYS,
  type ReadingOptions,
} from '../reading-options.ts'
import { type Attempts, createAttempts, type Retry } from './attempts.ts'
import type { ClientRequest, ModelClient, RequestOptions } from './chat-client.ts'
import { createChatStream } from './chat-stream.ts'
import { checkRequest } from './check-request.ts'
import { readRequest } from './client-request.ts'
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'
import type { ApiKey } from './credentials.ts'
import { type Environment, isLoopback } from './endpoint.ts'
import { ProviderError } from './errors.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { checkExtraBody, EXTRA_BODY_KEYS, type ExtraBody } from './extra-body.ts'
import type { KeyOrder } from './key-pool.ts'
import { maskedFetch } from './masked-fetch.ts'
import { createModelLookup } from './model-lookup.ts'
import { type ModelMemory, refusesTools } from './model-memory.ts'
import { isRefused, refusalIssues, refusedField } from './reasoning-field.ts'
import { createReasoningMemory, type ReasoningMemory } from './reasoning-refusal.ts'
import { createReplyFitting, type ReplyFitting } from './reply-fitting.ts'
import { LONG_REPLY } from './reply-limit.ts'
import {
  dialectOf,
  planRequest,
  type ReplyLimit,
  type RequestPlan,
  routeOf,
} from './request-plan.ts'
import { type RetryPolicy, retryPolicy } from './retry.ts'
import { checkSending, quirksFor, SENDING_KEYS, type SendingOptions } from './sending-options.ts'
import { createThoughtMemory, type ThoughtMemory } from './signed-thoughts.ts'
import { type Timeouts, timeLimits } from './time-limits.ts'
import { needsTools } from './tool-choice.ts'

/** `preset`, `protocols` and `repair` say how replies are read, and nothing about what is sent. */
export interface ClientOptions extends ReadingOptions, SendingOptions, ExtraBody {
  readonly provider: ProviderId | Provider | (string & {})
  readonly model: string
  /**
   * The key, or a function that has a fresh one; else the provider's environment variable. A list is a pool: a key
   * that is refused or limited is left alone for a while, and the request is sent again with another.
   */
  readonly apiKey?: ApiKey | readonly ApiKey[] | undefined
  /** Which key of several is used: the first that is not left alone, or each in turn. Default `first`. */
  readonly keyOrder?: KeyOrder | undefined
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
  /**
   * Whether the service is asked what the model can do before the first request with tools, so that a model without
   * tools need not refuse them. Default: true for a server on this machine that can tell, unless `fetch` is given.
   */
  readonly lookUp?: boolean | undefined
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
export function createClient(options: ClientOptions): ModelClient {
  checkOptions(options)
  const connection = openConnection(getProvider(options.provider), options)
  const { lookUp = options.fetch === undefined && isLoopback(connection.endpoint.base.hostname) } =
    options
  return clientOver(connection, { ...options, lookUp })
}

/** What is particular to a client; the rest is a matter of its connection. */
export interface ModelOptions extends Omit<ClientOptions, 'provider' | keyof ConnectionOptions> {
  /** How many tokens the model can read, whatever the service says. */
  readonly contextWindow?: number | undefined
}

/** A client that shares its connection, and what is learned over it, with others. */
export function clientOver(connection: Connection, options: ModelOptions): ModelClient {
  const { provider, endpoint, models } = connection
  const { model: usual, protocol: format = 'text-tagged', compact } = options
  const protocol = typeof format === 'string' ? getProtocol(format) : format
  checkReading(options)
  checkExtraBody(options)
  checkSending(options)
  const modes = createModes(options.toolMode, models)
  const reasoning = createReasoningMemory()
  const thoughts = createThoughtMemory()
  const fitting = createReplyFitting(models)
  const lessons = { modes, reasoning, thoughts, fitting }
  const attempts = createClientAttempts(connection, lessons, options)
  const lookup = createModelLookup(connection)
  const mayLookUp = options.lookUp === true && provider.modelInfo !== undefined
  const mayLookUpTools = mayLookUp && modes.areOpen && provider.modelInfo?.tellsTools === true

  /** How many tokens the model can read, as far as is known. */
  function contextOf(model: string): number | undefined {
    return options.contextWindow ?? models.windowOf(model)
  }

  async function plan(
    request: ClientRequest,
    stream: boolean,
    asked: RequestOptions,
    limit: ReplyLimit,
  ): Promise<RequestPlan> {
    const { fetch: sender, rescue, textFallback, ...given } = asked
    checkReading(given)
    const model = request.model ?? usual
    const route = routeOf(provider, model)
    const mode = modes.of(model, route)
    const wanted = readRequest(request, model, endpoint.tools)
    if (textFallback === false && modes.isSwitched(mode) && needsTools(wanted)) {
      throw withoutTools(provider.id, model)
    }
    const quirks = quirksFor(route, model, options, models)
    const legible = thoughts.fit(reasoning.fit(wanted, model), dialectOf(route))
    const fitted = fitting.fit(legible, limit, asked)
    const planned = await planRequest(fitted, {
      mode,
      stream,
      route,
      protocol,
      compact,
      toolListChars: options.toolListChars ?? toolListRoom(contextOf(model)),
      quirks,
      fields: endpoint.fields,
      extra: options,
      rescue,
      textFallback,
      limit,
      reading: mergeReading(options, given),
      fetch: sender && maskedFetch(sender, connection.secrets),
    })
    const { messages } = wanted
    const isLost = isRefused(quirks, options.reasoningField)
    const refused = [
      ...reasoning.issues(request, model),
      ...thoughts.issues(wanted),
      ...(isLost ? refusalIssues(wanted, model) : []),
    ]
    return { ...planned, messages, issues: [...refused, ...planned.issues] }
  }

  /** Asks whether the model takes tools, and how long a reply may be, where that is known to be of use. */
  async function lookUpFor(request: ClientRequest, { signal }: RequestOptions): Promise<void> {
    const model = request.model ?? usual
    const isNative = modes.of(model, routeOf(provider, model)) === 'native'
    const isToolsOpen = mayLookUpTools && needsTools(request) && isNative
    if (!isToolsOpen && (request.maxTokens ?? 0) <= LONG_REPLY) return
    // A signal that is aborted ends the request itself, which is about to begin.
    await lookup.info(model, signal).catch(() => {})
  }

  return {
    provider: provider.id,
    model: usual,
    get capabilities() {
      const route = routeOf(provider, usual)
      const toolMode = modes.of(usual, route)
      const { nativeTools, streamsTools, streams = true } = route.capabilities
      return {
        nativeTools: nativeTools !== false && !models.lacksTools(usual),
        streamsTools: toolMode === 'native' ? streamsTools : streams,
        toolMode,
      }
    },
    async complete(request, given = {}) {
      const checked = checkRequest(request, given)
      if (mayLookUp) await lookUpFor(checked, given)
      const limit: ReplyLimit = {}
      return attempts.complete(() => plan(checked, false, given, limit), given)
    },
    stream(request, given = {}) {
      const checked = checkRequest(request, given)
      return createChatStream((ending) => {
        const limit: ReplyLimit = {}
        const events = attempts.stream(() => plan(checked, true, given, limit), given, ending)
        return mayLookUp ? after(() => lookUpFor(checked, given), events) : events
      })
    },
    modelInfo: ({ model = usual, signal } = {}) => lookup.info(model, signal),
    models: ({ signal } = {}) => lookup.list(signal),
  }
}

const EXAMPLE = "{ provider: 'ollama', model: 'qwen3' }"

const KEYS: OptionKeys<ClientOptions> = {
  ...READING_KEYS,
  ...EXTRA_BODY_KEYS,
  ...SENDING_KEYS,
  provider: 0,
  model: 0,
  apiKey: 0,
  keyOrder: 0,
  baseUrl: 0,
  settings: 0,
  headers: 0,
  fetch: 0,
  toolMode: 0,
  protocol: 0,
  lookUp: 0,
  timeouts: 0,
  retries: 0,
  maxBodyBytes: 0,
  quirks: 0,
  env: 0,
  random: 0,
  onRetry: 0,
}

const TOOL_MODES = ['auto', 'native', 'text']

function checkOptions(options: ClientOptions): void {
  checkKeys('createClient', options, KEYS, EXAMPLE)
  const { model, toolMode = 'auto', fetch: sender, onRetry } = options
  checkText('model', model, `the name of a model, as in ${EXAMPLE}`)
  if (!TOOL_MODES.includes(toolMode)) throw refused('toolMode', toolMode, TOOL_MODES.join(', '))
  if (sender != null) checkFunction('fetch', sender)
  if (onRetry != null) checkFunction('onRetry', onRetry)
}

function openExchange(connection: Connection, options: ModelOptions): Exchange {
  const { provider, endpoint, credentials, secrets, fetch: sender, where } = connection
  const { timeouts, maxBodyBytes = MAX_BODY_BYTES } = options
  const transport = {
    fetch: sender,
    credentials,
    secrets,
    headers: endpoint.headers,
    limits: timeLimits(where, timeouts),
    limitsWholeReplies: timeouts?.connectMs !== undefined,
    maxBodyBytes,
    where,
    usualBase: provider.baseUrl,
  }
  return createExchange(provider, endpoint, transport, connection.models)
}

/** What is learned from refusals. */
interface Lessons {
  readonly modes: Modes
  readonly reasoning: ReasoningMemory
  readonly thoughts: ThoughtMemory
  readonly fitting: ReplyFitting
}

function createClientAttempts(
  connection: Connection,
  { modes, reasoning, thoughts, fitting }: Lessons,
  options: ModelOptions,
): Attempts {
  const { retries, timeouts, random = Math.random, onRetry } = options
  return createAttempts({
    exchange: openExchange(connection, options),
    keys: connection.keys,
    policy: retryPolicy(retries),
    totalMs: timeLimits(connection.where, timeouts).totalMs,
    where: connection.where,
    random,
    onRetry,
    learns(error, plan) {
      const field = refusedField(error, plan.body)
      if (field !== undefined && connection.models.learnRefusedField(plan.model, field)) return true
      return (
        reasoning.learn(error, plan) ||
        thoughts.learn(error, plan) ||
        fitting.learn(error, plan) ||
        modes.learn(error, plan)
      )
    },
  })
}

/** The events, which are not asked for before something else is done. */
async function* after<T>(
  prepare: () => Promise<void>,
  events: AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  await prepare()
  yield* events
}

function withoutTools(provider: string, model: string): ProviderError {
  return new ProviderError('unsupported', `${model} has no native tools`, { provider, model })
}

/** How tools reach each model, as far as is known. */
interface Modes {
  /** True: it depends on what is known of the model. */
  readonly areOpen: boolean
  of(model: string, route: Route): 'native' | 'text'
  /** True for text mode that nobody asked for: the model has no native tools. */
  isSwitched(mode: 'native' | 'text'): boolean
  /** True when the failure says that this model takes no tools, and text mode may be tried instead. */
  learn(error: unknown, plan: RequestPlan): boolean
}

function createModes(toolMode: ClientOptions['toolMode'] = 'auto', models: ModelMemory): Modes {
  return {
    areOpen: toolMode === 'auto',
    of(model, { capabilities }) {
      if (toolMode !== 'auto') return toolMode
      return capabilities.nativeTools && !models.lacksTools(model) ? 'native' : 'text'
    },
    isSwitched: (mode) => toolMode === 'auto' && mode === 'text',
    learn(error, { sendsTools, textFallback, model }) {
      if (toolMode !== 'auto' || !sendsTools || !refusesTools(error)) return false
      models.learnNoTools(model)
      return textFallback
    },
  }
}
