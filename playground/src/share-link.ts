/** State as a text that fits into a link: JSON, deflated, in the letters that addresses may have. */

/** More than this nobody shares; a link may still claim to hold it. */
const MAX_BYTES = 8 * 1024 * 1024

export async function packState(state: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state))
  const packed = await through(bytes, new CompressionStream('deflate-raw'))
  return toBase64Url(packed)
}

/** Undefined when the text is no state, or one that is too large. */
export async function unpackState(text: string): Promise<unknown> {
  try {
    const bytes = await through(fromBase64Url(text), new DecompressionStream('deflate-raw'))
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of new Blob([bytes]).stream().pipeThrough(transform)) {
    length += chunk.length
    if (length > MAX_BYTES) throw new RangeError('the state is too large')
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Bytes that are made into characters at a time: arguments of a call are limited. */
const SLICE = 0x8000

function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += SLICE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE))
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
