/** What a client sends, read before anybody is asked. */
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { getProtocol } from '../protocols/registry.ts'
import type { GatewayConfig } from './config.ts'
import type { ModelWish } from './directory.ts'
import { GatewayError } from './gateway-error.ts'
import type { HeaderMap } from './http.ts'
import type { RescueWish } from './question.ts'

/** Path and query of a request. A path with two slashes in front is no address of another host. */
export function readTarget(url: string): {
  readonly path: string
  readonly query: URLSearchParams
} {
  const own = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
  const hash = own.indexOf('#')
  const target = hash < 0 ? own : own.slice(0, hash)
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark))
  return { path: path === '' ? '/' : path, query }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

export function readObject(bytes: Uint8Array): JsonObject {
  const body = parseBytes(bytes)
  if (isJsonObject(body)) return body
  const what = body === undefined ? 'the body is not valid JSON' : 'the body is no JSON object'
  throw new GatewayError('invalid_json', what)
}

function parseBytes(bytes: Uint8Array): unknown {
  try {
    return parseStrict(decoder.decode(bytes))
  } catch {
    return undefined
  }
}

/** A mistake in the question is the client's. */
export function readQuestion<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new GatewayError('invalid_request', error.message)
  }
}

// ── what a request wants otherwise ──────────────────────────────────────────────────────────────

const TOOL_MODES = ['auto', 'native', 'text'] as const

export function readWish(headers: HeaderMap): ModelWish {
  const mode = headers['x-toolglot-tool-mode']
  const protocol = headers['x-toolglot-protocol']
  const toolMode = TOOL_MODES.find((one) => one === mode)
  if (mode !== undefined && !toolMode) {
    throw new GatewayError('invalid_request', 'x-toolglot-tool-mode must be auto, native or text')
  }
  if (protocol !== undefined) readQuestion(() => getProtocol(protocol))
  return { toolMode, protocol }
}

export function rescueWish(headers: HeaderMap, { rescue = {} }: GatewayConfig): RescueWish {
  const { enabled = true, protocols } = rescue
  const isOff = headers['x-toolglot-rescue'] === 'off'
  return { enabled: enabled && !isOff, protocols: protocols?.map((id) => getProtocol(id)) }
}
