/** The server under examination: asked through our client, with what really came kept for inspection. */

import { connectionError } from '../../client/connection-error.ts'
import { createCredentials } from '../../client/credentials.ts'
import { resolveEndpoint } from '../../client/endpoint.ts'
import { type ChatClient, createClient } from '../../client/index.ts'
import { createSecrets } from '../../client/secrets.ts'
import {
  anthropic,
  cohere,
  google,
  mistral,
  ollama,
  openaiCompatible,
} from '../../providers/index.ts'
import type { Provider } from '../../providers/provider.ts'

const PROVIDERS: readonly Provider[] = [
  openaiCompatible,
  ollama,
  anthropic,
  google,
  mistral,
  cohere,
]

/** The dialects whose servers can be examined. */
export const DIALECTS: readonly string[] = PROVIDERS.map(dialectOf)

export interface ServerOptions {
  readonly baseUrl: string
  readonly model: string
  /** One of {@link DIALECTS}. */
  readonly dialect: string
  readonly apiKey?: string | undefined
  /** Patience with each request. */
  readonly timeoutMs: number
  readonly fetch?: typeof fetch | undefined
}

export interface Server {
  readonly model: string
  readonly dialect: string
  readonly client: ChatClient
  /** The same server, asked with tools described in words. */
  readonly textClient: ChatClient
  /** The answer to the question for its models, whatever it is. */
  listModels(): Promise<{ readonly status: number; readonly body: unknown }>
  /** What came last, byte for byte as text. */
  lastReply(): string
}

const MAX_BODY_BYTES = 8 * 1024 * 1024

/** Throws a TypeError when the address is none. */
export function openServer(options: ServerOptions): Server {
  const { baseUrl, model, dialect, apiKey, timeoutMs } = options
  const sender = options.fetch ?? fetch
  const recorder = createRecorder(sender)
  const provider: Provider = { ...providerFor(dialect), keyOptional: true }
  const common = {
    provider,
    model,
    baseUrl,
    apiKey,
    fetch: recorder.fetch,
    // Keys of other services must not go to this one.
    env: {},
    retries: 0,
    maxBodyBytes: MAX_BODY_BYTES,
    timeouts: { connectMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
  }
  return {
    model,
    dialect,
    client: createClient({ ...common, toolMode: 'native' }),
    textClient: createClient({ ...common, toolMode: 'text' }),
    listModels: () => listModels(provider, options, sender),
    lastReply: recorder.last,
  }
}

export function providerFor(dialect: string): Provider {
  return PROVIDERS.find((provider) => dialectOf(provider) === dialect) ?? openaiCompatible
}

function dialectOf({ dialect }: Provider): string {
  return typeof dialect === 'string' ? dialect : dialect.id
}

async function listModels(
  provider: Provider,
  { baseUrl, apiKey, model, timeoutMs }: ServerOptions,
  sender: typeof fetch,
): Promise<{ status: number; body: unknown }> {
  const endpoint = resolveEndpoint(provider, { baseUrl, env: {} })
  const { models = '' } = provider.paths
  const url = endpoint.url({ ...provider, paths: { chat: models } }, model, false)
  const secrets = createSecrets()
  const credentials = createCredentials(provider, endpoint, {
    apiKey,
    env: {},
    fetch: sender,
    secrets,
  })
  const plain = { accept: 'application/json', ...provider.headers }
  const headers = await credentials.sign({ method: 'GET', url, headers: plain, body: '' })
  const signal = AbortSignal.timeout(timeoutMs)
  // Keys would go along to wherever an answer points.
  const sent = sender(url, { headers, signal, redirect: 'manual' })
  const response = await sent.catch((error: unknown) => {
    if (signal.aborted) throw signal.reason
    throw connectionError(error, secrets, {})
  })
  return { status: response.status, body: await readJson(response) }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text())
  } catch {
    return undefined
  }
}

interface Recorder {
  readonly fetch: typeof fetch
  last(): string
}

/** A fetch that keeps what passes through it; how much that is, the reader decides. */
function createRecorder(sender: typeof fetch): Recorder {
  let pieces: string[] = []

  async function recorded(...request: Parameters<typeof fetch>): Promise<Response> {
    pieces = []
    const response = await sender(...request)
    if (!response.body || !response.ok) return response
    const { status, headers } = response
    return new Response(response.body.pipeThrough(keepIn(pieces)), { status, headers })
  }

  return { fetch: recorded, last: () => pieces.join('') }
}

function keepIn(pieces: string[]): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  return new TransformStream({
    transform(bytes, controller) {
      pieces.push(decoder.decode(bytes, { stream: true }))
      controller.enqueue(bytes)
    },
  })
}
