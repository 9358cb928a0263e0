/** One model of one provider, and the two ways to ask it. */
import type { ChatClient } from '../client/chat-client.ts'
import type { Connection } from '../client/connection.ts'
import { clientOver } from '../client/create-client.ts'
import type { ExtraBody } from '../client/extra-body.ts'
import type { KeyPool, KeySlot } from '../client/key-pool.ts'
import {
  hasReasoning,
  isRefused,
  lostReasoning,
  type ReasoningWatch,
  refusedField,
  watchReasoning,
} from '../client/reasoning-field.ts'
import { routeOf } from '../client/request-plan.ts'
import type { Secrets } from '../client/secrets.ts'
import { quirksFor, type SendingOptions } from '../client/sending-options.ts'
import { timeLimits } from '../client/time-limits.ts'
import type { Whereabouts } from '../client/whereabouts.ts'
import type { ServiceFeature, ToolKind } from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import type { JsonObject } from '../core/json/value.ts'
import { getDialect } from '../dialects/registry.ts'
import type { ModelFacts } from '../providers/model-info.ts'
import type { Price } from '../providers/prices.ts'
import type { Route } from '../providers/provider.ts'
import type { ReadingOptions } from '../reading-options.ts'
import type { ProviderConfig, ToolMode } from './config.ts'
import type { Send, UpstreamReply } from './http.ts'

export interface TargetSpec {
  /** The name that it is configured under. */
  readonly name: string
  /** The way to the provider, shared by all its models. */
  readonly connection: Connection
  readonly config: ProviderConfig
  readonly model: string
  readonly toolMode: ToolMode
  readonly protocol: string | undefined
  readonly reading: ReadingOptions
  readonly sending: SendingOptions
  /** How many tokens the model can read, as far as the configuration says. */
  readonly contextWindow: number | undefined
  /** Fields that the configuration adds to requests. */
  readonly extra: ExtraBody
  /** Undefined when nobody knows what the model costs. */
  readonly price: Price | undefined
}

export interface Target {
  readonly name: string
  readonly model: string
  /** The id of the dialect that the provider speaks. */
  readonly dialect: string
  readonly spec: TargetSpec
  readonly send: Send
  /** For questions in any dialect. */
  readonly client: ChatClient
  /** For questions in its own. */
  readonly direct: Direct
  readonly price: Price | undefined
  /** True: the service has OpenRouter's plugin for replies that must be JSON. */
  readonly healsReplies: boolean
  /** Whether the provider takes tools, whatever this model has said. */
  readonly hadTools: boolean
  /** What the provider has said about the model. */
  facts(): ModelFacts
  /** Kinds of tools besides functions that the provider takes. */
  readonly toolKinds: readonly ToolKind[]
  /** Whether tools can go as they are, as far as is known. */
  takesTools(): boolean
  /** The model said that it takes none. */
  learnNoTools(): void
  /** True when the failure says that the model takes no reasoning in this field, which was not known before. */
  learnRefusedField(error: unknown, body: JsonObject): boolean
}

export interface Direct {
  /** Adds what the provider wants to a body in its own dialect. */
  readonly fields: JsonObject
  /** What its settings add to a body that does not say otherwise. */
  readonly defaults: JsonObject
  /** What of its dialect it does not have. */
  readonly lacks: readonly ServiceFeature[]
  /** A client's body as the service takes it; the body itself when nothing has to change. */
  fit(body: JsonObject, report: (issue: Issue) => void): JsonObject
  /** Looks at one reply for what it says about the model. */
  watchReply(): ReasoningWatch
  ask(request: DirectRequest): Promise<UpstreamReply>
  readonly keys: KeyPool
  readonly secrets: Secrets
  readonly where: Whereabouts
  /** The base URL that the provider has by default; empty if none. */
  readonly usualBase: string
  /** From the question to the end of the answer. */
  readonly totalMs: number
}

export interface DirectRequest {
  /** Default: the address for chat. */
  readonly url?: URL
  readonly body: string | Uint8Array | undefined
  /** Default: JSON. */
  readonly contentType?: string
  readonly streamed: boolean
  /** The key of a pool to ask with. */
  readonly slot: KeySlot | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** An addition to the usual address, such as the id of a reply. */
  readonly suffix?: string | undefined
  /** Default: POST. */
  readonly method?: 'GET' | 'POST' | 'DELETE'
}

export interface TargetOptions {
  readonly send: Send
  readonly maxReplyBytes: number
}

export function createTarget(spec: TargetSpec, options: TargetOptions): Target {
  const { name, model, connection, config, toolMode, protocol, sending, contextWindow, extra } =
    spec
  const { provider, models } = connection
  const { send, maxReplyBytes } = options
  const route = routeOf(provider, model)
  const client = clientOver(connection, {
    ...extra,
    ...sending,
    contextWindow,
    model,
    timeouts: config.timeouts,
    toolMode,
    protocol,
    retries: 0,
    maxBodyBytes: maxReplyBytes,
  })
  return {
    name,
    model,
    spec,
    send,
    dialect: typeof route.dialect === 'string' ? route.dialect : route.dialect.id,
    client,
    direct: openDirect(spec, route, send),
    price: spec.price,
    toolKinds: route.capabilities.toolKinds ?? [],
    healsReplies: route.quirks?.plugins === true,
    hadTools: route.capabilities.nativeTools !== false,
    facts: () => models.factsOf(model) ?? {},
    takesTools: () => client.capabilities.toolMode === 'native',
    learnNoTools: () => models.learnNoTools(model),
    learnRefusedField(error, body) {
      const field = refusedField(error, body)
      return field !== undefined && models.learnRefusedField(model, field)
    },
  }
}

function openDirect(spec: TargetSpec, route: Route, send: Send): Direct {
  const { connection, config, model, sending } = spec
  const { endpoint, credentials, keys, secrets, models, where, provider } = connection
  const dialect = typeof route.dialect === 'string' ? getDialect(route.dialect) : route.dialect
  const { connectMs, idleMs, totalMs } = timeLimits(where, config.timeouts)
  const urls = [endpoint.url(route, model, false), endpoint.url(route, model, true)] as const
  return {
    fields: route.quirks?.fields ?? {},
    lacks: route.quirks?.lacks ?? [],
    defaults: { ...endpoint.fields, ...(endpoint.tools && { tools: [...endpoint.tools] }) },
    fit(body, report) {
      const quirks = quirksFor(route, model, sending, models)
      if (isRefused(quirks, sending.reasoningField) && hasReasoning(body)) {
        report(lostReasoning(model))
      }
      return dialect.fitRequest?.(body, { quirks, report }) ?? body
    },
    watchReply: () => watchReasoning(dialect, (field) => models.learnReasoningField(model, field)),
    keys,
    secrets,
    where,
    usualBase: provider.baseUrl,
    totalMs,
    async ask({ body, streamed, slot, headers: given, signal, suffix, method = 'POST', ...own }) {
      const url = own.url ?? withSuffix(urls[streamed ? 1 : 0], suffix)
      const { contentType = 'application/json' } = own
      const type = body === undefined ? undefined : { 'content-type': contentType }
      const plain = { ...type, ...endpoint.headers, ...given }
      // Signatures are for services that take nothing but JSON.
      const text = typeof body === 'string' ? body : ''
      const signed = await credentials.sign({ method, url, headers: plain, body: text }, slot)
      // A whole reply begins when the model is done.
      const headersMs = streamed ? connectMs : undefined
      const reply = await send({
        method,
        url,
        headers: signed,
        body,
        signal,
        headersMs,
        idleMs,
      })
      if (reply.status === 401) credentials.forget(slot)
      return reply
    },
  }
}

function withSuffix(url: URL, suffix: string | undefined): URL {
  if (suffix === undefined) return url
  const [path = '', query] = suffix.split('?')
  const longer = new URL(url)
  longer.pathname += path
  for (const [name, value] of new URLSearchParams(query)) longer.searchParams.append(name, value)
  return longer
}
