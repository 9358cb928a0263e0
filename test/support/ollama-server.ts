/**
 * An Ollama server with every endpoint of its documentation, and no model: replies are made of what was asked, so that
 * two servers that are asked the same say the same.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json/value.ts'

export interface OllamaServer {
  /** Without a slash at the end. */
  readonly url: string
  /** Method and path of each request, with its JSON. */
  readonly requests: readonly OllamaRequest[]
  readonly models: Set<string>
  readonly blobs: ReadonlySet<string>
  close(): Promise<void>
}

export interface OllamaRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: JsonObject
}

interface State {
  readonly models: Set<string>
  readonly blobs: Set<string>
  readonly loaded: Set<string>
}

const AT = '2026-01-02T03:04:05.678Z'
const LINES = 'application/x-ndjson'
const JSON_TYPE = 'application/json; charset=utf-8'

export async function startOllamaServer(
  models: readonly string[] = ['llama3:latest'],
): Promise<OllamaServer> {
  const state: State = { models: new Set(models), blobs: new Set(), loaded: new Set() }
  const requests: OllamaRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    if (path.startsWith('/api/blobs/')) {
      requests.push({ method, path, headers, body: {} })
      return blob(state, request, response, path.slice('/api/blobs/'.length))
    }
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) pieces.push(piece as Buffer)
    } catch {
      // Whoever asked is gone.
      return
    }
    const text = Buffer.concat(pieces).toString('utf8')
    const parsed: unknown = text === '' ? {} : JSON.parse(text)
    const body = isJsonObject(parsed) ? parsed : {}
    // What gateways ask by themselves, to know the models.
    if (path !== '/api/tags' && path !== '/api/show') requests.push({ method, path, headers, body })
    answer(state, { method, path, headers, body }, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    models: state.models,
    blobs: state.blobs,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

type Handler = (state: State, body: JsonObject, response: ServerResponse) => void

const HANDLERS: Readonly<Record<string, Handler>> = {
  'GET /': running,
  'HEAD /': running,
  'GET /api/version': (_, __, response) => sendJson(response, 200, { version: '0.14.2' }),
  'GET /api/tags': ({ models }, _, response) =>
    sendJson(response, 200, { models: [...models].map((name) => ({ name, model: name })) }),
  'GET /api/ps': ({ loaded }, _, response) =>
    sendJson(response, 200, {
      models: [...loaded].map((name) => ({ name, model: name, size_vram: 5, expires_at: AT })),
    }),
  'POST /api/show': known((_, __, response) =>
    sendJson(response, 200, { capabilities: ['completion', 'insert'], model_info: {} }),
  ),
  'POST /api/generate': known(generate),
  'POST /api/chat': known(chat),
  'POST /api/embed': known((_, body, response) => {
    const inputs = [body['input']].flat()
    sendJson(response, 200, {
      model: nameIn(body),
      embeddings: inputs.map((input) => vectorOf(String(input), body['dimensions'])),
      total_duration: 1,
      load_duration: 1,
      prompt_eval_count: inputs.length,
    })
  }),
  'POST /api/embeddings': known((_, body, response) =>
    sendJson(response, 200, { embedding: vectorOf(String(body['prompt']), undefined) }),
  ),
  'POST /api/pull': (state, body, response) => {
    state.models.add(nameIn(body))
    progress(response, body, [
      { status: 'pulling manifest' },
      { status: 'pulling 0011', digest: 'sha256:0011', total: 2, completed: 1 },
      { status: 'pulling 0011', digest: 'sha256:0011', total: 2, completed: 2 },
      { status: 'verifying sha256 digest' },
      { status: 'writing manifest' },
      { status: 'success' },
    ])
  },
  'POST /api/push': known((_, body, response) =>
    progress(response, body, [{ status: 'retrieving manifest' }, { status: 'success' }]),
  ),
  'POST /api/create': (state, body, response) => {
    const { from, files } = body
    const missing = Object.values(isJsonObject(files) ? files : {}).find(
      (digest) => !state.blobs.has(String(digest)),
    )
    if (missing !== undefined) return sendError(response, 400, 'blob not found')
    if (from !== undefined && !state.models.has(String(from)))
      return sendError(response, 404, `model '${String(from)}' not found`)
    state.models.add(nameIn(body))
    progress(response, body, [{ status: 'writing manifest' }, { status: 'success' }])
  },
  'POST /api/copy': (state, { source, destination }, response) => {
    if (!state.models.has(String(source)))
      return sendError(response, 404, `model '${String(source)}' not found`)
    state.models.add(String(destination))
    response.writeHead(200).end()
  },
  'DELETE /api/delete': known((state, body, response) => {
    state.models.delete(nameIn(body))
    response.writeHead(200).end()
  }),
}

function answer(
  state: State,
  { method, path, body }: OllamaRequest,
  response: ServerResponse,
): void {
  const handler = HANDLERS[`${method} ${path}`]
  if (handler) return handler(state, body, response)
  response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found')
}

function known(handler: Handler): Handler {
  return (state, body, response) => {
    const name = nameIn(body)
    if (state.models.has(name)) return handler(state, body, response)
    sendError(response, 404, `model '${name}' not found`)
  }
}

function nameIn({ model, name }: JsonObject): string {
  return String(model ?? name ?? '')
}

function running(_: State, __: JsonObject, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('Ollama is running')
}

function generate(state: State, body: JsonObject, response: ServerResponse): void {
  const { prompt = '', suffix, keep_alive: keepAlive, raw } = body
  const start = { model: nameIn(body), created_at: AT }
  if (prompt === '') {
    const isUnload = load(state, body)
    return sendJson(response, 200, {
      ...start,
      response: '',
      done: true,
      done_reason: isUnload ? 'unload' : 'load',
    })
  }
  const words = [String(prompt), '|', String(suffix ?? ''), raw === true ? '|raw' : '']
  const said = [...words, keepAlive === undefined ? '' : String(keepAlive)].filter((one) => one)
  const last = {
    done: true,
    done_reason: 'stop',
    context: [1, 2],
    prompt_eval_count: 7,
    eval_count: 3,
  }
  if (body['stream'] === false)
    return sendJson(response, 200, { ...start, response: said.join(''), ...last })
  sendLines(response, [
    ...said.map((text) => ({ ...start, response: text, done: false })),
    { ...start, response: '', ...last },
  ])
}

function chat(state: State, body: JsonObject, response: ServerResponse): void {
  const { messages } = body
  const all = Array.isArray(messages) ? messages : []
  const start = { model: nameIn(body), created_at: AT }
  const say = (content: string): JsonObject => ({ role: 'assistant', content })
  if (all.length === 0) {
    const isUnload = load(state, body)
    return sendJson(response, 200, {
      ...start,
      message: say(''),
      done: true,
      done_reason: isUnload ? 'unload' : 'load',
    })
  }
  const last = all.at(-1)
  const text = isJsonObject(last) ? String(last['content']) : ''
  const end = { done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 3 }
  if (body['stream'] === false)
    return sendJson(response, 200, { ...start, message: say(text), ...end })
  sendLines(response, [
    { ...start, message: say(text), done: false },
    { ...start, message: say(''), ...end },
  ])
}

/** True when the model is unloaded. */
function load({ loaded }: State, body: JsonObject): boolean {
  const isUnload = body['keep_alive'] === 0 || body['keep_alive'] === '0'
  if (isUnload) loaded.delete(nameIn(body))
  else loaded.add(nameIn(body))
  return isUnload
}

/** Numbers that a 32-bit float has exactly. */
function vectorOf(text: string, dimensions: JsonValue | undefined): number[] {
  const length = typeof dimensions === 'number' ? dimensions : 4
  return Array.from({ length }, (_, at) => (text.charCodeAt(at) || 0) / 64)
}

async function blob(
  { blobs }: State,
  request: IncomingMessage,
  response: ServerResponse,
  digest: string,
): Promise<void> {
  if (request.method === 'HEAD') return void response.writeHead(blobs.has(digest) ? 200 : 404).end()
  const hash = createHash('sha256')
  try {
    for await (const piece of request) hash.update(piece as Buffer)
  } catch {
    return
  }
  if (`sha256:${hash.digest('hex')}` !== digest) return sendError(response, 400, 'digest mismatch')
  blobs.add(digest)
  response.writeHead(201).end()
}

function progress(response: ServerResponse, body: JsonObject, steps: readonly JsonObject[]): void {
  if (body['stream'] === false) return sendJson(response, 200, steps.at(-1) ?? {})
  sendLines(response, steps)
}

function sendLines(response: ServerResponse, lines: readonly JsonObject[]): void {
  response.writeHead(200, { 'content-type': LINES })
  for (const line of lines) response.write(`${JSON.stringify(line)}\n`)
  response.end()
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': JSON_TYPE }).end(JSON.stringify(body))
}

function sendError(response: ServerResponse, status: number, error: string): void {
  sendJson(response, status, { error })
}
