/** A server of OpenAI's, Google's and llama.cpp's APIs besides chat, which makes its replies of what it was asked. */
import { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json/value.ts'

export interface ApiServer {
  /** Without a slash at the end. */
  readonly url: string
  readonly requests: readonly ApiRequest[]
  /** The texts of the forms that came. */
  readonly forms: readonly JsonObject[]
  /** The bytes of their files. */
  readonly files: readonly Uint8Array[]
  /** Requests whose answers are not over. */
  pending(): number
  /** How many requests to the model `slow` wait for their replies. */
  waiting(): number
  /** Lets these replies begin. */
  release(): void
  forget(): void
  close(): Promise<void>
}

export interface ApiRequest {
  readonly path: string
  readonly body: JsonObject
}

interface Asked extends ApiRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export async function startApiServer(): Promise<ApiServer> {
  const requests: ApiRequest[] = []
  const forms: JsonObject[] = []
  const files: Uint8Array[] = []
  let pending = 0
  const server = createServer(async (request, response) => {
    pending++
    response.on('close', () => pending--)
    const path = request.url ?? '/'
    // Gateways look for lists of models.
    if (request.method === 'GET') return send(response, { data: [] })
    const bytes = await bytesOf(request)
    const type = request.headers['content-type'] ?? ''
    const form = type.startsWith('multipart/') ? await formOf(bytes, type) : undefined
    if (form) {
      forms.push(form.texts)
      files.push(...form.files)
    }
    const parsed: unknown = form ? form.texts : JSON.parse(bytes.toString('utf8'))
    const body = isJsonObject(parsed) ? parsed : {}
    if (!form) requests.push({ path, body })
    answer({ path, body: { ...body, ...(form && { file: form.name }) }, request, response })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    forms,
    files,
    pending: () => pending,
    waiting: () => waiting.listenerCount('go'),
    release: () => waiting.emit('go'),
    forget() {
      for (const list of [requests, forms, files]) list.length = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const waiting = new EventEmitter()

type Handler = (asked: Asked) => void

const HANDLERS: readonly (readonly [path: RegExp, handler: Handler])[] = [
  [/\/embeddings$/, embeddings],
  [/\/completions$/, completions],
  [
    /\/rerank$/,
    ({ response }) =>
      send(response, { results: [{ index: 0 }, { index: 1 }], usage: { total_tokens: 4 } }),
  ],
  [/\/audio\/speech$/, speech],
  [
    /\/audio\/trans/,
    ({ response, body }) =>
      send(response, {
        type: 'transcript.text.done',
        text: body['file'] ?? '',
        usage: { type: 'tokens', input_tokens: 9, output_tokens: 2, total_tokens: 11 },
      }),
  ],
  [/\/images\//, ({ response }) => send(response, { created: 1, data: [{ b64_json: 'AAAA' }] })],
  [
    /\/moderations$/,
    ({ request, response }) => {
      const { authorization = '' } = request.headers
      send(response, { id: 'm', results: [{ flagged: false }], seen: { authorization } })
    },
  ],
  [
    /^\/infill$/,
    ({ response, body }) =>
      send(response, {
        content: `${String(body['input_prefix'])}|${String(body['input_suffix'])}`,
      }),
  ],
  [
    /^\/tokenize$/,
    ({ response, body }) =>
      send(response, { tokens: Array.from(String(body['content']), (one) => one.charCodeAt(0)) }),
  ],
  [/:batchEmbedContents$/, batchEmbed],
]

function answer(asked: Asked): void {
  const { path, body, response } = asked
  if (body['model'] === 'down') return send(response, { error: { message: 'too busy' } }, 503)
  const handler = HANDLERS.find(([pattern]) => pattern.test(path))?.[1]
  if (String(body['model']).startsWith('slow')) {
    const isDown = body['model'] !== 'slow'
    const later = handler && !isDown ? () => handler(asked) : () => send(response, {}, 400)
    return void waiting.once('go', later)
  }
  if (handler) return handler(asked)
  send(response, { error: { message: `nothing at ${path}` } }, 404)
}

function embeddings({ path, body, response }: Asked): void {
  const inputs = [body['input']].flat()
  const isText = body['encoding_format'] === 'base64' && !path.startsWith('/floats')
  const data = inputs.map((input, index) => {
    const vector = vectorOf(String(input), body['dimensions'])
    const embedding = isText
      ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
      : vector
    return { object: 'embedding', index, embedding }
  })
  const count = inputs.length
  send(response, { object: 'list', data, usage: { prompt_tokens: count, total_tokens: count } })
}

function batchEmbed({ body, response }: Asked): void {
  const all = Array.isArray(body['requests']) ? body['requests'].filter(isJsonObject) : []
  const embeddings = all.map(({ content, outputDimensionality }) => {
    const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'] : []
    const [part] = parts
    const text = isJsonObject(part) ? String(part['text']) : ''
    return { values: vectorOf(text, outputDimensionality) }
  })
  send(response, { embeddings })
}

/** Numbers that a 32-bit float has exactly. */
function vectorOf(text: string, dimensions: JsonValue | undefined): number[] {
  const length = typeof dimensions === 'number' ? dimensions : 4
  return Array.from({ length }, (_, at) => (text.charCodeAt(at) || 0) / 64)
}

const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

function completions({ body, response }: Asked): void {
  const { prompt, suffix, stream, model } = body
  const start = { id: 'c', object: 'text_completion', created: 1, model: String(model) }
  const text = `${String(prompt)}|${String(suffix)}`
  const choice = (part: string, finish: string | null): JsonObject => ({
    ...start,
    choices: [{ index: 0, text: part, logprobs: null, finish_reason: finish }],
  })
  if (stream !== true) return send(response, { ...choice(text, 'stop'), usage: USAGE })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const letter of model === 'broken' ? 'a' : text) {
    response.write(`data: ${JSON.stringify(choice(letter, null))}\n\n`)
  }
  if (model === 'broken') return void response.end('data: {"id":"c","cho')
  response.write(`data: ${JSON.stringify({ ...choice('', 'stop'), usage: USAGE })}\n\n`)
  response.end('data: [DONE]\n\n')
}

function speech({ request, body, response }: Asked): void {
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  const frame = Buffer.from([0xff, 0xfb, 0x00, 0x0a, ...Array<number>(996).fill(7)])
  if (body['model'] === 'endless') return void response.write(frame)
  if (body['model'] === 'leaks') response.write(request.headers.authorization ?? '')
  for (let count = 0; count < 200; count++) response.write(frame)
  response.end()
}

interface ReadForm {
  readonly texts: JsonObject
  readonly files: readonly Uint8Array[]
  readonly name: string
}

async function formOf(bytes: Buffer, type: string): Promise<ReadForm> {
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': type },
  }).formData()
  const entries = [...form.entries()]
  const given = entries.flatMap(([, value]) => (typeof value === 'string' ? [] : [value]))
  const contents = given.map(async (file) => new Uint8Array(await file.arrayBuffer()))
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return {
    texts: Object.fromEntries(texts),
    files: await Promise.all(contents),
    name: given[0]?.name ?? '',
  }
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

function send(response: ServerResponse, body: JsonObject, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
