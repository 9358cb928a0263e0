/** One model of one provider, and the two ways to ask it. */
import type { ChatClient } from '../client/chat-client.ts'
import { createClient } from '../client/create-client.ts'
import { createCredentials } from '../client/credentials.ts'
import { type Environment, resolveEndpoint } from '../client/endpoint.ts'
import { routeOf } from '../client/request-plan.ts'
import { createSecrets, type Secrets } from '../client/secrets.ts'
import { USUAL_TIMEOUTS } from '../client/watch.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Provider } from '../providers/provider.ts'
import type { ProviderConfig, ToolMode } from './config.ts'
import type { Send, UpstreamReply } from './http.ts'
import { fetchOver } from './upstream-fetch.ts'

export interface TargetSpec {
  /** The name that it is configured under. */
  readonly name: string
  readonly provider: Provider
  readonly config: ProviderConfig
  readonly model: string
  readonly toolMode: ToolMode
  readonly protocol: string | undefined
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
  /** Whether tools can go as they are, as far as is known. */
  takesTools(): boolean
  /** It said that it takes none. */
  learnNoTools(): void
}

export interface Direct {
  /** Adds what the provider wants to a body in its own dialect. */
  readonly fields: JsonObject
  ask(request: DirectRequest): Promise<UpstreamReply>
  readonly secrets: Secrets
}

export interface DirectRequest {
  readonly body: string
  readonly streamed: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export interface TargetOptions {
  readonly send: Send
  readonly env: Environment
  readonly maxReplyBytes: number
}

export function createTarget(spec: TargetSpec, options: TargetOptions): Target {
  const { name, provider, config, model, toolMode } = spec
  const route = routeOf(provider, model)
  const { dialect, capabilities } = route
  let lacksTools = false

  return {
    name,
    model,
    spec,
    send: options.send,
    dialect: typeof dialect === 'string' ? dialect : dialect.id,
    client: openClient(spec, options),
    direct: openDirect(spec, options),
    takesTools() {
      if (toolMode !== 'auto') return toolMode === 'native'
      return capabilities.nativeTools !== false && !lacksTools && config.toolMode !== 'text'
    },
    learnNoTools() {
      lacksTools = true
    },
  }
}

function openClient(spec: TargetSpec, { send, env, maxReplyBytes }: TargetOptions): ChatClient {
  const { name, provider, config, model, toolMode, protocol } = spec
  return createClient({
    provider: { ...provider, id: name },
    model,
    apiKey: config.apiKey,
    baseUrl: config.baseUrl,
    settings: config.settings,
    headers: config.headers,
    timeouts: config.timeouts,
    toolMode,
    protocol,
    env,
    retries: 0,
    maxBodyBytes: maxReplyBytes,
    fetch: fetchOver(send),
  })
}

function openDirect({ provider, config, model }: TargetSpec, { send, env }: TargetOptions): Direct {
  const secrets = createSecrets()
  const { baseUrl, settings, headers, apiKey, timeouts = {} } = config
  for (const value of Object.values(headers ?? {})) secrets.add(value)
  const endpoint = resolveEndpoint(provider, { env, baseUrl, settings, headers })
  const credentials = createCredentials(provider, endpoint, {
    apiKey,
    env,
    fetch: fetchOver(send),
    secrets,
  })
  const route = routeOf(provider, model)
  const urls = [endpoint.url(route, model, false), endpoint.url(route, model, true)] as const
  const { connectMs = USUAL_TIMEOUTS.connectMs } = timeouts
  const { idleMs = USUAL_TIMEOUTS.idleMs, totalMs = USUAL_TIMEOUTS.totalMs } = timeouts
  return {
    fields: route.quirks?.fields ?? {},
    secrets,
    async ask({ body, streamed, headers: given, signal }) {
      const url = urls[streamed ? 1 : 0]
      const plain = { 'content-type': 'application/json', ...endpoint.headers, ...given }
      const signed = await credentials.sign({ method: 'POST', url, headers: plain, body })
      const headersMs = streamed ? connectMs : totalMs
      const reply = await send({
        method: 'POST',
        url,
        headers: signed,
        body,
        signal,
        headersMs,
        idleMs,
      })
      if (reply.status === 401) credentials.forget()
      return reply
    },
  }
}
