/** The server under examination: asked through our client, with what really came kept for inspection. */

import { openConnection } from '../../client/connection.ts'
import { type ChatClient, createClient } from '../../client/index.ts'
import { parsed } from '../../client/parsed.ts'
import { sendSmall } from '../../client/small-request.ts'
import type { Provider } from '../../providers/provider.ts'
import { type CallTraits, type Examined, examinedAs } from './examined.ts'

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
  readonly calls: CallTraits
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
  const { baseUrl, model, apiKey, timeoutMs } = options
  const sender = options.fetch ?? fetch
  const recorder = createRecorder(sender)
  const examined = examinedAs(options.dialect)
  const provider = asExamined(examined)
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
    calls: examined.calls,
    client: createClient({ ...common, toolMode: 'native' }),
    textClient: createClient({ ...common, toolMode: 'text' }),
    listModels: () => listModels(provider, options, sender),
    lastReply: recorder.last,
  }
}

/** Whoever has a key gives it; there is no other way to prove who is asking. */
function asExamined({ provider }: Examined): Provider {
  const auth = provider.auth.filter(({ scheme }) => scheme === 'bearer' || scheme === 'header')
  return { ...provider, auth, keyOptional: true }
}

async function listModels(
  provider: Provider,
  { baseUrl, apiKey, model, timeoutMs }: ServerOptions,
  sender: typeof fetch,
): Promise<{ status: number; body: unknown }> {
  const { endpoint, credentials, secrets } = openConnection(provider, {
    baseUrl,
    apiKey,
    env: {},
    fetch: sender,
  })
  const { models = '' } = provider.paths
  const url = endpoint.url({ ...provider, paths: { chat: models } }, model, false)
  const plain = { accept: 'application/json', ...endpoint.headers }
  const headers = await credentials.sign({ method: 'GET', url, headers: plain, body: '' })
  const { status, text } = await sendSmall(
    url,
    { headers },
    { fetch: sender, timeoutMs, maxBytes: MAX_BODY_BYTES, secrets, fields: {} },
  )
  return { status, body: parsed(text) }
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
