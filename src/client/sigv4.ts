/** The signature that AWS wants on each request (version 4). */

export interface SigningKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly region: string
  readonly service: string
}

export interface SignedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** The headers of the request with those that prove who sends it; names in lower case. */
export async function signRequest(
  { method, url, headers, body }: SignedRequest,
  key: SigningKey,
  now: Date,
): Promise<Record<string, string>> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const signed: Record<string, string> = {
    ...lowerCase(headers),
    host: url.host,
    'x-amz-date': time,
    ...(key.sessionToken !== undefined && { 'x-amz-security-token': key.sessionToken }),
  }
  const names = Object.keys(signed).sort()
  const canonical = [
    method,
    canonicalPath(url.pathname),
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${signed[name]?.trim().replace(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    hex(await digest(body)),
  ].join('\n')
  const scope = [time.slice(0, 8), key.region, key.service, 'aws4_request']
  const text = [ALGORITHM, time, scope.join('/'), hex(await digest(canonical))].join('\n')
  const signature = hex(await mac(await signingKey(key.secretAccessKey, scope), text))
  // The transport sets the host itself.
  const { host: _, ...others } = signed
  return {
    ...others,
    authorization:
      `${ALGORITHM} Credential=${key.accessKeyId}/${scope.join('/')}, ` +
      `SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

// What is encoded already is encoded once more: so it is for every service but the storage.
function canonicalPath(path: string): string {
  return path.split('/').map(encode).join('/')
}

function canonicalQuery(parameters: URLSearchParams): string {
  const pairs = Array.from(parameters, ([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.sort().join('&')
}

function encode(text: string): string {
  const stricter = (character: string): string =>
    `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replace(/[!'()*]/g, stricter)
}

const encoder = new TextEncoder()

type Bytes = ArrayBuffer | Uint8Array<ArrayBuffer>

async function signingKey(secret: string, scope: readonly string[]): Promise<ArrayBuffer> {
  let key: Bytes = encoder.encode(`AWS4${secret}`)
  let last: ArrayBuffer = new ArrayBuffer(0)
  for (const part of scope) {
    last = await mac(key, part)
    key = last
  }
  return last
}

async function mac(key: Bytes, text: string): Promise<ArrayBuffer> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return crypto.subtle.sign('HMAC', imported, encoder.encode(text))
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', encoder.encode(text))
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
