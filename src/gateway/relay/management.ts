/**
 * Requests about Ollama servers rather than to their models: which are loaded, which version, and those that pull,
 * create, copy, push and delete models. They reach the server as they came, and its answer goes back as it is.
 */
import { connectionError } from '../../client/connection-error.ts'
import { classify } from '../../client/error-class.ts'
import { ProviderError } from '../../client/errors.ts'
import { withKeys } from '../../client/key-pool.ts'
import { parsed } from '../../client/parsed.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { OllamaApiId } from '../../providers/apis.ts'
import { type Access, mayUse } from '../access.ts'
import { readAll, watched, wholeSource } from '../byte-source.ts'
import type { ClientKey } from '../config.ts'
import type { Directory } from '../directory.ts'
import { GatewayError, MethodError } from '../gateway-error.ts'
import type { ByteSource, GatewayReply, UpstreamReply, UpstreamRequest } from '../http.ts'
import type { ConfiguredProvider } from '../open-providers.ts'
import type { Watchers } from '../question.ts'
import { shownName } from '../shown-text.ts'

interface ManagementEndpoint {
  readonly api: OllamaApiId
  readonly methods: readonly ('HEAD' | 'POST' | 'DELETE')[]
  /** The whole path; a group called `rest` belongs to the path at the server as well. */
  readonly path: RegExp
  /** `file`: passed on as it comes. */
  readonly body: 'json' | 'file'
  /** Fields with names of models, the one that chooses the server first. */
  readonly names: readonly string[]
  /** `holder`: the first that has the model. Otherwise the first of the configuration. */
  readonly server: 'first' | 'holder'
}

const MODEL = ['model', 'name'] as const

const MANAGEMENT: readonly ManagementEndpoint[] = [
  {
    api: 'ollama-pull',
    methods: ['POST'],
    path: /^\/api\/pull$/,
    body: 'json',
    names: MODEL,
    server: 'first',
  },
  {
    api: 'ollama-push',
    methods: ['POST'],
    path: /^\/api\/push$/,
    body: 'json',
    names: MODEL,
    server: 'holder',
  },
  {
    api: 'ollama-create',
    methods: ['POST'],
    path: /^\/api\/create$/,
    body: 'json',
    names: [...MODEL, 'from'],
    server: 'first',
  },
  {
    api: 'ollama-copy',
    methods: ['POST'],
    path: /^\/api\/copy$/,
    body: 'json',
    names: ['source', 'destination'],
    server: 'holder',
  },
  {
    api: 'ollama-delete',
    methods: ['DELETE'],
    path: /^\/api\/delete$/,
    body: 'json',
    names: MODEL,
    server: 'holder',
  },
  {
    api: 'ollama-blobs',
    methods: ['HEAD', 'POST'],
    path: /^\/api\/blobs(?<rest>\/sha256[:-][0-9a-f]{64})$/i,
    body: 'file',
    names: [],
    server: 'first',
  },
]

export interface FoundManagement {
  readonly endpoint: ManagementEndpoint
  readonly method: 'HEAD' | 'POST' | 'DELETE'
  readonly rest: string
}

/** Throws a GatewayError for another method. */
export function findManagement(given: string, path: string): FoundManagement | undefined {
  for (const endpoint of MANAGEMENT) {
    const match = endpoint.path.exec(path)
    if (!match) continue
    const method = endpoint.methods.find((one) => one === given)
    if (!method) throw new MethodError(given, endpoint.methods.at(-1) ?? 'POST')
    return { endpoint, method, rest: match.groups?.['rest'] ?? '' }
  }
  return undefined
}

/** Where there are keys, only those that are marked so; without keys, only the machine itself. */
export function checkManage(
  { hasKeys }: Access,
  key: ClientKey | undefined,
  localOnly: boolean,
): void {
  if (hasKeys ? key?.manage : localOnly) return
  const message = hasKeys
    ? 'requests that change an Ollama server are for keys with "manage": true only'
    : 'requests that change an Ollama server are for this machine only, unless there are keys and one of them has "manage": true'
  throw new GatewayError('management_not_allowed', message)
}

interface ManagementRequest {
  readonly found: FoundManagement
  readonly path: string
  /** The JSON of the body; empty for a file. */
  readonly fields: JsonObject
  readonly file: UpstreamRequest['body']
  /** The header that names a model, for bodies that cannot. */
  readonly wished: string | undefined
  readonly key: ClientKey | undefined
  readonly signal: AbortSignal
  readonly watch: Pick<Watchers, 'attempt' | 'upstream' | 'upstreamBytes'>
}

/** The servers that serve an API as their own. */
export function serversOf(directory: Directory, api: OllamaApiId): readonly ConfiguredProvider[] {
  return directory
    .providers()
    .filter(({ connection }) => connection.provider.apis?.[api] !== undefined)
}

/** Passes the request to the server that is meant. Throws a ProviderError when that cannot be reached. */
export async function manage(
  request: ManagementRequest,
  directory: Directory,
): Promise<GatewayReply> {
  const { endpoint } = request.found
  const servers = serversOf(directory, endpoint.api)
  if (servers.length === 0) throw noServer(request.path)
  const named = serverNamed(request, servers)
  const candidates = named ? [named] : endpoint.server === 'first' ? servers.slice(0, 1) : servers
  const allowed = candidates.filter((server) => mayChange(request, server))
  if (allowed.length > 0) return askInTurn(request, allowed)
  const message = `this key may not use ${JSON.stringify(shownName(modelIn(request)))}`
  throw new GatewayError('model_not_allowed', message)
}

function noServer(path: string): GatewayError {
  return new GatewayError('not_supported', `${path} is for Ollama servers, and none is configured`)
}

/** `provider/model` names the server. */
function serverNamed(
  { found, fields, wished }: ManagementRequest,
  servers: readonly ConfiguredProvider[],
): ConfiguredProvider | undefined {
  const all = [...found.endpoint.names.map((field) => fields[field]), wished]
  const named = all.flatMap((name) => {
    return servers.filter(
      (server) => typeof name === 'string' && name.startsWith(`${server.name}/`),
    )
  })
  if (new Set(named).size > 1) {
    throw new GatewayError('invalid_request', 'the names in the request are of different servers')
  }
  return named[0]
}

/** A key for some models may not change others, nor the same at another server. */
function mayChange({ found, fields, key }: ManagementRequest, server: ConfiguredProvider): boolean {
  return found.endpoint.names.every((field) => {
    const name = fields[field]
    if (typeof name !== 'string') return true
    const model = String(withoutServer(name, server))
    return mayUse(key, model) || mayUse(key, `${server.name}/${model}`)
  })
}

/** The answer of the first server that has the model; when none does, that of the first that answers. */
async function askInTurn(
  request: ManagementRequest,
  servers: readonly ConfiguredProvider[],
): Promise<GatewayReply> {
  const refused: (() => Promise<GatewayReply>)[] = []
  for (const server of servers) {
    try {
      const reply = await askFor(request, server)
      if (reply.status !== NOT_FOUND || servers.length === 1)
        return await replyOf(request, server, reply)
      // Small, and kept until the others have answered.
      const bytes = await readAll(reply.body, MAX_REFUSAL_BYTES)
      refused.push(() => replyOf(request, server, { ...reply, body: wholeSource(bytes) }))
    } catch (error) {
      if (servers.length === 1 || !(error instanceof ProviderError)) throw error
      refused.push(() => Promise.reject(error))
    }
  }
  const [first] = refused
  if (!first) throw noServer(request.path)
  return first()
}

const MAX_REFUSAL_BYTES = 64 * 1024
const NOT_FOUND = 404

async function askFor(
  request: ManagementRequest,
  server: ConfiguredProvider,
): Promise<UpstreamReply> {
  const message = messageFor(request, server)
  const { body } = message
  const { watch, found } = request
  watch.attempt({
    provider: server.name,
    model: modelIn(request),
    dialect: found.endpoint.api,
    lane: 'pass',
    body: typeof body === 'string' ? body : undefined,
  })
  const reply = await askServer(server, message)
  watch.upstream(reply.status)
  return reply
}

/** The name that the client gives; empty where there is none. */
export function modelIn({ found, fields }: Pick<ManagementRequest, 'found' | 'fields'>): string {
  const name = found.endpoint.names
    .map((field) => fields[field])
    .find((one) => typeof one === 'string')
  return typeof name === 'string' ? name : ''
}

function messageFor(
  { found, fields, file, signal }: ManagementRequest,
  server: ConfiguredProvider,
): ServerMessage {
  const { endpoint, method, rest } = found
  const path = `${server.connection.provider.apis?.[endpoint.api] ?? ''}${rest}`
  if (endpoint.body === 'file') {
    return { method, path, signal, body: file, contentType: 'application/octet-stream' }
  }
  const renamed = Object.entries(fields).map(([field, value]) => [
    field,
    endpoint.names.includes(field) ? withoutServer(value, server) : value,
  ])
  const body = JSON.stringify(Object.fromEntries(renamed))
  return { method, path, signal, body, contentType: 'application/json' }
}

function withoutServer(name: JsonValue, { name: server }: ConfiguredProvider): JsonValue {
  const isNamed = typeof name === 'string' && name.startsWith(`${server}/`)
  return isNamed ? name.slice(server.length + 1) : name
}

async function replyOf(
  { found, watch }: ManagementRequest,
  server: ConfiguredProvider,
  reply: UpstreamReply,
): Promise<GatewayReply> {
  // A server that refuses our key must not look like one that refuses the client's.
  const { status, headers, body } = reply
  if (status === 401) {
    const text = new TextDecoder().decode(await readAll(body, MAX_REFUSAL_BYTES))
    throw classify({ status, body: parsed(text) }, { provider: server.name })
  }
  const type = headers['content-type']
  const shown = type === undefined ? {} : { 'content-type': type }
  if (found.method !== 'HEAD') {
    const seen = watched(body, (bytes) => watch.upstreamBytes(bytes))
    // The next list of models has what is new.
    return { status, headers: shown, body: ending(seen, () => server.catalogue?.refresh(0)) }
  }
  body.cancel()
  return { status, headers: shown, body: '' }
}

// ── one server ──────────────────────────────────────────────────────────────────────────────────

interface ServerMessage {
  readonly method: UpstreamRequest['method']
  readonly path: string
  readonly body?: UpstreamRequest['body']
  readonly contentType?: string
  readonly signal: AbortSignal
}

/** The answer of a server, whatever its status is and however long it takes: some models are pulled for hours. */
export async function askServer(
  { name, connection, send }: ConfiguredProvider,
  { method, path, body, contentType, signal }: ServerMessage,
): Promise<UpstreamReply> {
  const { endpoint, credentials, keys, secrets } = connection
  const url = endpoint.at(path, '')
  const plain = {
    ...endpoint.headers,
    ...(contentType !== undefined && { 'content-type': contentType }),
  }
  return withKeys(keys, async ({ slot }) => {
    const text = typeof body === 'string' ? body : ''
    const signed = await credentials.sign({ method: 'POST', url, headers: plain, body: text }, slot)
    return send({ method, url, headers: signed, body, signal }).catch((thrown: unknown) => {
      if (signal.aborted) throw signal.reason
      if (thrown instanceof GatewayError) throw thrown
      throw connectionError(thrown, secrets, { provider: name })
    })
  })
}

function ending(source: ByteSource, onEnd: () => void): ByteSource {
  return {
    start: (sink) =>
      source.start({
        data: (bytes) => sink.data(bytes),
        end() {
          onEnd()
          sink.end()
        },
        fail: (error) => sink.fail(error),
      }),
    pause: () => source.pause(),
    resume: () => source.resume(),
    cancel: () => source.cancel(),
  }
}
