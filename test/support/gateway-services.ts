/** A gateway in front of scripted providers, one for each dialect, on the loopback interface. */
import type { GatewayConfig, ProviderConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/gateway.ts'
import { type ListeningGateway, type ListenOptions, listen } from '../../src/gateway/node.ts'
import { createUndiciSend, type UndiciSend } from '../../src/gateway/undici-send.ts'
import { startUpstream, type Upstream } from '../../src/testing/upstream.ts'

/** The key that every provider is asked with, and nobody else may ever see. */
export const UPSTREAM_KEY = 'sk-upstream-secret-4711'

/** By the id of the dialect: the provider that speaks it wherever it is told to. */
const SPEAKERS: Readonly<Record<ServiceId, string>> = {
  'openai-chat': 'openai-compatible',
  'openai-responses': 'responses-compatible',
  anthropic: 'anthropic',
  gemini: 'google',
  'google-interactions': 'google-interactions',
  ollama: 'ollama',
  bedrock: 'bedrock',
  mistral: 'mistral',
  cohere: 'cohere',
}

export type ServiceId =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'google-interactions'
  | 'ollama'
  | 'bedrock'
  | 'mistral'
  | 'cohere'

// The keys of the table; Object.keys only knows them as strings.
export const SERVICES = Object.keys(SPEAKERS) as readonly ServiceId[]

/** A provider for each dialect, under the id of the dialect. */
export function servicesAt(
  url: string,
  more: Partial<ProviderConfig> = {},
): Record<ServiceId, ProviderConfig> {
  const entries = SERVICES.map((id) => {
    const provider: ProviderConfig = {
      provider: SPEAKERS[id],
      baseUrl: `${url}/${id}`,
      apiKey: UPSTREAM_KEY,
      ...more,
    }
    return [id, provider] as const
  })
  // One entry for each key of the table.
  return Object.fromEntries(entries) as Record<ServiceId, ProviderConfig>
}

/** The model of each service, asked once and not again. */
export function scriptedModels(): NonNullable<GatewayConfig['models']> {
  return Object.fromEntries(
    SERVICES.map((id) => [`my-${id}`, { chain: [`${id}/scripted`], retries: 0 }]),
  )
}

export interface GatewayRig {
  readonly url: string
  readonly gateway: Gateway
  readonly listening: ListeningGateway
  readonly upstream: Upstream
  close(): Promise<void>
}

export interface RigOptions extends GatewayOptions {
  readonly config?: (upstreamUrl: string) => GatewayConfig
  readonly listen?: ListenOptions
}

/** A gateway over undici and `node:http`, and the scripted provider behind it. */
export async function startRig(options: RigOptions = {}): Promise<GatewayRig> {
  const { config = usualConfig, listen: listening = {}, ...rest } = options
  const upstream = await startUpstream()
  const sender: UndiciSend = createUndiciSend()
  const own = config(upstream.url)
  const gateway = createGateway(own, { send: sender.send, env: {}, ...rest })
  const server = await listen(gateway, { limits: own.limits, ...listening })
  return {
    url: server.url,
    gateway,
    listening: server,
    upstream,
    async close() {
      await server.shutdown(0)
      await gateway.close()
      await sender.close()
      await upstream.close()
    },
  }
}

export function usualConfig(upstreamUrl: string): GatewayConfig {
  return { providers: servicesAt(upstreamUrl), models: scriptedModels() }
}
