/** The gateway where there is `fetch` and no sockets: edge runtimes, Deno, Bun, tests. */
import { patientFetch } from '../client/patient-fetch.ts'
import { limited, readAll, sourceStream, streamSource, wholeSource } from './byte-source.ts'
import { failureOf } from './gateway-error.ts'
import type { ByteSource, GatewayReply, GatewayRequest, Send, UpstreamRequest } from './http.ts'
import { bodyTooLarge } from './limits.ts'

type Handle = (request: GatewayRequest) => Promise<GatewayReply>

export function webHandler(handle: Handle): (request: Request) => Promise<Response> {
  return async (request) => {
    const { host, pathname, search } = new URL(request.url)
    // Whoever does not read on has left, whether the runtime says so or not.
    const left = new AbortController()
    const { status, headers, body } = await handle({
      method: request.method,
      url: pathname + search,
      headers: { host, ...Object.fromEntries(request.headers) },
      readBody: (maxBytes) => readBody(request, maxBytes),
      openBody: (maxBytes) => limited(bodySource(request), maxBytes),
      signal: AbortSignal.any([request.signal, left.signal]),
    })
    const isEmpty = status === 204 || request.method === 'HEAD'
    const shown = isEmpty ? null : webBody(body, () => left.abort(LEFT))
    return new Response(shown, { status, headers: { ...headers } })
  }
}

const LEFT = new DOMException('the client hung up', 'AbortError')

function webBody(
  body: GatewayReply['body'],
  onCancel: () => void,
): string | Uint8Array<ArrayBuffer> | ReadableStream {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : sourceStream(body, onCancel)
}

function bodySource({ body }: Request): ByteSource {
  return body ? streamSource(body) : wholeSource(new Uint8Array())
}

async function readBody({ headers, body }: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(headers.get('content-length')) > maxBytes) throw bodyTooLarge(maxBytes)
  if (!body) return new Uint8Array()
  return readAll(streamSource(body), maxBytes).catch((error: unknown) => {
    throw failureOf(error).code === 'reply_too_large' ? bodyTooLarge(maxBytes) : error
  })
}

/** Sends with the global `fetch`. */
export function fetchSend(): Send {
  return async ({ method, url, headers, body, signal, headersMs, idleMs }) => {
    const patience = new AbortController()
    const timer =
      headersMs === undefined
        ? undefined
        : setTimeout(() => patience.abort(late(headersMs, 'UND_ERR_HEADERS_TIMEOUT')), headersMs)
    const signals = [patience.signal, ...(signal ? [signal] : [])]
    const response = await patientFetch(url, {
      method,
      headers,
      ...(body !== undefined && upstreamBody(body)),
      signal: AbortSignal.any(signals),
      redirect: 'manual',
    }).finally(() => clearTimeout(timer))
    const source = streamSource(response.body ?? new ReadableStream({ start: (it) => it.close() }))
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: idleMs === undefined ? source : impatient(source, idleMs),
    }
  }
}

function upstreamBody(body: NonNullable<UpstreamRequest['body']>): RequestInit {
  if (typeof body === 'string') return { body }
  if (body instanceof Uint8Array) return { body: new Uint8Array(body) }
  // Streams can only be sent so; the types of the web do not know the field yet.
  const init: RequestInit & { readonly duplex: 'half' } = {
    body: sourceStream(body),
    duplex: 'half',
  }
  return init
}

/** The same source, which fails when nothing comes for so long. */
function impatient(source: ReturnType<typeof streamSource>, idleMs: number): typeof source {
  let timer: ReturnType<typeof setTimeout> | undefined
  let expire = (): void => {}

  function wait(): void {
    clearTimeout(timer)
    timer = setTimeout(expire, idleMs)
  }

  return {
    start(sink) {
      expire = () => {
        source.cancel()
        sink.fail(late(idleMs, 'UND_ERR_BODY_TIMEOUT'))
      }
      wait()
      source.start({
        data(bytes) {
          wait()
          sink.data(bytes)
        },
        end() {
          clearTimeout(timer)
          sink.end()
        },
        fail(error) {
          clearTimeout(timer)
          sink.fail(error)
        },
      })
    },
    // A client that reads slowly is no fault of the provider's.
    pause() {
      clearTimeout(timer)
      source.pause()
    },
    resume() {
      wait()
      source.resume()
    },
    cancel() {
      clearTimeout(timer)
      source.cancel()
    },
  }
}

/** The codes are those of undici, so that both ways to send fail alike. */
function late(ms: number, code: 'UND_ERR_HEADERS_TIMEOUT' | 'UND_ERR_BODY_TIMEOUT'): Error {
  return Object.assign(new Error(`nothing came within ${ms} ms`), { code })
}
