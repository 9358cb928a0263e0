/** The one way from the bytes of a request to its body, within the limits. */
import { LONG_BODY, letOthersRun } from '../client/let-others-run.ts'
import { jsonErrorAt } from '../core/json/error-position.ts'
import { JsonMeasure } from '../core/json/measure.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { locator } from '../core/position.ts'
import { iteratedSource } from './byte-source.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { GatewayError } from './gateway-error.ts'
import type { ByteSource, GatewayRequest, HeaderMap } from './http.ts'
import { bodyTooLarge, checkLimit, type Limits, overLimit } from './limits.ts'

export interface RequestBody {
  readonly bytes: Uint8Array
  readonly body: JsonObject
}

/** Throws a GatewayError for what is no JSON object, or too much of one. */
export async function readRequestBody(
  request: Pick<GatewayRequest, 'headers' | 'readBody'>,
  limits: Limits,
): Promise<RequestBody> {
  checkEncoding(request.headers)
  const bytes = await request.readBody(limits.requestBytes)
  if (bytes.length > limits.requestBytes) throw bodyTooLarge(limits.requestBytes)
  return { bytes, body: await readObject(bytes, limits) }
}

/** The bytes of a body with files in it. */
export async function readLongBody(
  request: Pick<GatewayRequest, 'headers' | 'readBody'>,
  { uploadBytes }: Limits,
): Promise<Uint8Array> {
  checkEncoding(request.headers)
  const bytes = await request.readBody(uploadBytes).catch((error: unknown) => {
    const isTooLong = error instanceof GatewayError && error.code === 'body_too_large'
    throw isTooLong ? bodyTooLarge(uploadBytes, 'uploadBytes') : error
  })
  if (bytes.length > uploadBytes) throw bodyTooLarge(uploadBytes, 'uploadBytes')
  return bytes
}

/** A body that is too long to be kept, as it comes. */
export function openBody(
  request: Pick<GatewayRequest, 'headers' | 'openBody' | 'readBody'>,
  { blobBytes }: Limits,
): ByteSource {
  checkEncoding(request.headers)
  if (Number(request.headers['content-length']) > blobBytes)
    throw bodyTooLarge(blobBytes, 'blobBytes')
  if (request.openBody) return request.openBody(blobBytes)
  return iteratedSource(wholeBody(request, blobBytes))
}

async function* wholeBody(
  request: Pick<GatewayRequest, 'readBody'>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  yield await request.readBody(maxBytes)
}

/** Bodies are not unpacked: a small one could become larger than any limit. */
function checkEncoding(headers: HeaderMap): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (/^\s*identity\s*$/i.test(encoding)) return
  throw new GatewayError('packed_body', 'the body is compressed; send it without content-encoding')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Mistakes are looked for in bodies that people write; those of programs are longer and right. */
const MAX_LOCATED = 64 * 1024
/** So much is measured in some milliseconds. */
const STRETCH = 1024 * 1024

async function readObject(bytes: Uint8Array, limits: Limits): Promise<JsonObject> {
  if (bytes.length === 0) throw notJson('the body is empty; send a JSON object')
  const text = decoded(bytes)
  await checkMeasure(text, limits)
  // Its depth is known.
  const body = parseStrict(text, { depth: Infinity })
  if (isJsonObject(body)) {
    await giveOthersATurn(bytes)
    return body
  }
  if (body !== undefined) throw notJson('the body is no JSON object')
  if (text.length > MAX_LOCATED) throw notJson('the body is not valid JSON')
  const place = locator(text)(jsonErrorAt(text))
  throw notJson(`the body is not valid JSON from ${place} on (line:column)`)
}

/** After each step over a long body. */
export async function giveOthersATurn({ length }: Uint8Array): Promise<void> {
  if (length > LONG_BODY) await letOthersRun()
}

/** Before it is parsed, which cannot be interrupted. */
async function checkMeasure(text: string, limits: Limits): Promise<void> {
  const { jsonDepth: depth, jsonValues: values } = limits
  // Each level takes two characters, and each value at least one.
  if (text.length <= 2 * depth && text.length <= values) return
  const measure = new JsonMeasure(text, { depth, values })
  for (;;) {
    const state = measure.read(STRETCH)
    if (state === 'fits') return
    if (state === 'depth') {
      throw overLimit('levels of nesting in the body', `more than ${depth}`, limits, 'jsonDepth')
    }
    if (state === 'values') {
      throw overLimit('JSON values in the body', `more than ${values}`, limits, 'jsonValues')
    }
    await letOthersRun()
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw notJson('the body is not UTF-8')
  }
}

function notJson(message: string): GatewayError {
  return new GatewayError('invalid_json', message)
}

/** Throws a GatewayError for more messages or tools, or longer ones, than the limits allow. */
export function checkContents(
  { bytes, body }: RequestBody,
  endpoint: Pick<Endpoint, 'dialect' | 'toolsIn'>,
  limits: Limits,
): void {
  const messages = body[endpoint.dialect.rules.field]
  const count = Array.isArray(messages) ? messages.length : 0
  checkLimit('messages', count, limits, 'messages')
  const tools = endpoint.toolsIn(body)
  checkLimit('tools', tools.length, limits, 'tools')
  for (const name of tools.flatMap(namesOf)) {
    checkLimit('characters in the name of a tool', name.length, limits, 'toolNameLength')
  }
  // What the whole body does not have, no part of it has.
  if (bytes.length <= Math.min(limits.toolBytes, limits.toolsBytes)) return
  const sizes = tools.map(byteLength)
  for (const size of sizes) {
    checkLimit('bytes in the definition of a tool', size, limits, 'toolBytes')
  }
  const total = sizes.reduce((sum, size) => sum + size, 0)
  checkLimit('bytes in the definitions of all tools', total, limits, 'toolsBytes')
}

/** Dialects have the name in the definition, or in an object in it. */
function namesOf(tool: JsonValue): string[] {
  if (!isJsonObject(tool)) return []
  const names = [tool, ...Object.values(tool)].map((one) => isJsonObject(one) && one['name'])
  return names.filter((name) => typeof name === 'string')
}

const encoder = new TextEncoder()

function byteLength(value: JsonValue): number {
  return encoder.encode(JSON.stringify(value)).length
}
