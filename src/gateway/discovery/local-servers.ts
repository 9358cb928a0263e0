/** Servers with models on this machine, found by asking at their usual ports. */
import { type Environment, firstSet } from '../../client/endpoint.ts'
import { parsed } from '../../client/parsed.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { getProvider, type ProviderId } from '../../providers/registry.ts'
import { readAll } from '../byte-source.ts'
import { isThisMachine, urlOf } from '../config/own-address.ts'
import type { HeaderMap, Send } from '../http.ts'

export interface LocalServerOptions {
  readonly send: Send
  readonly env: Environment
  readonly signal?: AbortSignal | undefined
  /** Other ports than the usual ones, by the id of the provider. */
  readonly ports?: Readonly<Partial<Record<string, number>>> | undefined
  /** Ids of providers that are not asked. */
  readonly skip?: readonly string[] | undefined
  /** How long each of them may take. Default 400 ms. */
  readonly timeoutMs?: number | undefined
}

export interface LocalServer {
  /** The id of the provider. */
  readonly provider: string
  readonly name: string
  readonly baseUrl: string
  readonly models: readonly string[]
}

/** One question that tells whether a server is there. It is at the address of the provider. */
interface Probe {
  readonly provider: ProviderId
  readonly path: string
  /** Another port than that of the provider's address. */
  readonly port?: number
  /** The names of its models, when the answer is that of such a server. */
  recognise(body: JsonObject): readonly string[] | undefined
}

/** The first that a server answers counts. */
const PROBES: readonly Probe[] = [
  { provider: 'ollama', path: '/api/tags', recognise: ollamaModels },
  // The usual port since August 2026, and the one before.
  { provider: 'llama-cpp', path: '/v1/models', port: 9931, recognise: ownedBy('llamacpp') },
  { provider: 'llama-cpp', path: '/v1/models', recognise: ownedBy('llamacpp') },
  { provider: 'lm-studio', path: '/api/v0/models', recognise: lmStudioModels },
  { provider: 'vllm', path: '/v1/models', recognise: ownedBy('vllm') },
  { provider: 'sglang', path: '/v1/models', recognise: ownedBy('sglang') },
  { provider: 'sglang', path: '/get_model_info', recognise: sglangModel },
]

const TIMEOUT_MS = 400
const MAX_BYTES = 4 * 1024 * 1024

/** All at once, on the loopback interface only, and never with a key: nobody knows who listens there. */
export async function discoverLocalServers(
  options: LocalServerOptions,
): Promise<readonly LocalServer[]> {
  const probes = PROBES.filter(({ provider }) => !options.skip?.includes(provider))
  const answers = await Promise.all(probes.map((probe) => ask(probe, options)))
  const found = new Map<string, LocalServer>()
  for (const server of answers) {
    if (server && !found.has(server.provider)) found.set(server.provider, server)
  }
  return [...found.values()]
}

async function ask(probe: Probe, options: LocalServerOptions): Promise<LocalServer | undefined> {
  const address = addressOf(probe, options)
  if (!address) return undefined
  const body = await fetchJson(new URL(probe.path, address.origin), options)
  const models = body && probe.recognise(body)
  if (!models) return undefined
  const { id, name } = getProvider(probe.provider)
  return { provider: id, name, baseUrl: address.href.replace(/\/$/, ''), models }
}

/** Undefined when a variable says that the server is on another machine. */
function addressOf(
  { provider: id, port: other }: Probe,
  { env, ports = {} }: LocalServerOptions,
): URL | undefined {
  const { baseUrl, baseUrlVariables = [] } = getProvider(id)
  const address = new URL(baseUrl)
  if (other !== undefined) address.port = String(other)
  const told = firstSet(baseUrlVariables, env)
  if (told !== undefined) {
    if (!isThisMachine(urlOf(told)?.hostname ?? '')) return undefined
    address.port = portIn(told) ?? address.port
  }
  const port = ports[id]
  if (port !== undefined) address.port = String(port)
  return address
}

/** A URL forgets the port that is usual for its scheme, also when it was written. */
function portIn(address: string): string | undefined {
  return /^(?:https?:\/\/)?[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(address)?.[1]
}

async function fetchJson(
  url: URL,
  { send, signal, timeoutMs = TIMEOUT_MS }: LocalServerOptions,
): Promise<JsonObject | undefined> {
  const patience = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([signal, patience]) : patience
  try {
    return await withinTime(readJson(url, send, either), either)
  } catch {
    signal?.throwIfAborted()
    // Nobody there, or nobody we know.
    return undefined
  }
}

async function readJson(
  url: URL,
  send: Send,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const headers = { accept: 'application/json' }
  const reply = await send({ method: 'GET', url, headers, signal })
  if (reply.status !== 200 || isGateway(reply.headers)) {
    reply.body.cancel()
    return undefined
  }
  const body = parsed(new TextDecoder().decode(await readAll(reply.body, MAX_BYTES)))
  return isJsonObject(body) ? body : undefined
}

/** Whatever becomes of the promise, the wait ends with the signal. */
function withinTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** A gateway of ours at such a port speaks like the server it stands for. */
function isGateway(headers: HeaderMap): boolean {
  return Object.keys(headers).some((name) => name.startsWith('x-toolglot-'))
}

function ollamaModels({ models }: JsonObject): readonly string[] | undefined {
  return Array.isArray(models) ? textsIn(models, 'name') : undefined
}

/** The list of models as OpenAI has it, in which servers say who they are. */
function ownedBy(owner: string): Probe['recognise'] {
  return ({ data }) => {
    const models = Array.isArray(data) ? data.filter(isJsonObject) : []
    const isTheirs = models.some((model) => model['owned_by'] === owner)
    return isTheirs ? textsIn(models, 'id') : undefined
  }
}

function lmStudioModels({ data }: JsonObject): readonly string[] | undefined {
  if (!Array.isArray(data)) return undefined
  const models = data.filter(isJsonObject)
  const isTheirs = models.every(
    ({ type, state }) => typeof type === 'string' && typeof state === 'string',
  )
  if (!isTheirs) return undefined
  return textsIn(
    models.filter(({ type }) => type !== 'embeddings'),
    'id',
  )
}

function sglangModel({ model_path: path, is_generation: generates }: JsonObject) {
  if (typeof path !== 'string' || generates === false) return undefined
  return [path]
}

function textsIn(items: readonly unknown[], key: string): readonly string[] {
  return items.flatMap((item) => {
    const text = isJsonObject(item) ? item[key] : undefined
    return typeof text === 'string' ? [text] : []
  })
}
