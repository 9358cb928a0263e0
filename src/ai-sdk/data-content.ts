/** Images and files: bytes, base64 and addresses, as the AI SDK and the neutral model have them. */
import type { DataContent } from 'ai'

export interface NeutralData {
  readonly mediaType?: string
  readonly data?: string
  readonly url?: string
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:/i
const DATA_ADDRESS = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i

/** A text is an address when it looks like one, and base64 otherwise, as the SDK has it. */
export function readData(data: DataContent | URL, mediaType: string | undefined): NeutralData {
  const text = asText(data)
  const [prefix, ownType] = DATA_ADDRESS.exec(text) ?? []
  const type = mediaType ?? (ownType || undefined)
  const typed = type === undefined ? {} : { mediaType: type }
  if (prefix !== undefined) return { ...typed, data: text.slice(prefix.length) }
  return ADDRESS.test(text) ? { ...typed, url: text } : { ...typed, data: text }
}

export function writeData({ data, url }: NeutralData): string | URL {
  if (data !== undefined) return data
  return url !== undefined && URL.canParse(url) ? new URL(url) : (url ?? '')
}

/** The same without bytes and objects, so that it can be written down. */
export function asText(data: DataContent | URL): string {
  if (typeof data === 'string') return data
  if (data instanceof URL) return data.href
  return encodeBase64(data instanceof ArrayBuffer ? new Uint8Array(data) : data)
}

/** Bytes that are turned to text at once; a call takes only so many arguments. */
const STRETCH = 0x8000

function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += STRETCH) {
    text += String.fromCharCode(...bytes.subarray(at, at + STRETCH))
  }
  return btoa(text)
}
