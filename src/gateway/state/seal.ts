/**
 * Texts that only gateways with the same secret can read. AES-256-GCM with a key that HKDF makes of the
 * secret; the name of the entry is authenticated with it, so that nobody can put one in another's place.
 * Nonces are random: one key is good for 2^32 entries (NIST SP 800-38D), after which the secret is changed.
 */
import { InvalidInputError } from '../../core/errors.ts'

export interface Seal {
  /** With the first secret. */
  seal(text: string, name: string): Promise<string>
  /** With the secret that it was sealed with; undefined when that is not known, or the text was changed. */
  open(sealed: string, name: string): Promise<string | undefined>
}

/** As many characters as 24 random bytes have in base64. HKDF does not make a guessable secret safe. */
export const SECRET_LENGTH = 32

const VERSION = 'sealed1'
const SALT = 'toolglot'
const NONCE_BYTES = 12
/** Tells secrets apart, and says nothing about them. */
const ID_BITS = 48

interface SealKey {
  readonly id: string
  readonly key: Awaited<ReturnType<typeof crypto.subtle.deriveKey>>
}

/** @throws InvalidInputError for a secret that is too short. */
export async function createSeal(secrets: readonly string[]): Promise<Seal> {
  if (secrets.length === 0 || secrets.some((secret) => secret.length < SECRET_LENGTH)) {
    throw new InvalidInputError(
      `a secret for state must have at least ${SECRET_LENGTH} characters, such as those of: openssl rand -base64 32`,
    )
  }
  const keys = await Promise.all(secrets.map(deriveKey))
  const byId = new Map(keys.map((one) => [one.id, one.key]))
  const [first] = keys
  if (!first) throw new InvalidInputError('there is no secret for state')
  return {
    async seal(text, name) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const bytes = await crypto.subtle.encrypt(cipher(nonce, name), first.key, utf8(text))
      return `${VERSION}.${first.id}.${toBase64(nonce)}.${toBase64(new Uint8Array(bytes))}`
    },
    async open(sealed, name) {
      const [version, id = '', nonce = '', bytes = ''] = sealed.split('.')
      const key = byId.get(id)
      if (version !== VERSION || !key) return undefined
      try {
        const algorithm = cipher(fromBase64(nonce), name)
        const opened = await crypto.subtle.decrypt(algorithm, key, fromBase64(bytes))
        return new TextDecoder('utf-8', { fatal: true }).decode(opened)
      } catch {
        return undefined
      }
    },
  }
}

async function deriveKey(secret: string): Promise<SealKey> {
  const base = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, [
    'deriveBits',
    'deriveKey',
  ])
  const parameters = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: utf8(SALT),
    info: utf8(info),
  })
  const id = await crypto.subtle.deriveBits(parameters('id of the key for turns'), base, ID_BITS)
  const algorithm = { name: 'AES-GCM', length: 256 }
  const usages = ['encrypt', 'decrypt'] as const
  const key = await crypto.subtle.deriveKey(parameters('key for turns'), base, algorithm, false, [
    ...usages,
  ])
  return { id: toBase64(new Uint8Array(id)), key }
}

function cipher(iv: Uint8Array<ArrayBuffer>, name: string) {
  return { name: 'AES-GCM', iv, additionalData: utf8(name) }
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** How many arguments a function takes on any engine. */
const SLICE = 8192

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += SLICE) {
    // `apply` takes a typed array as it is; spreading it is several times slower.
    text += Reflect.apply(String.fromCharCode, String, bytes.subarray(at, at + SLICE))
  }
  return btoa(text)
}

/** Throws for what is no base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text)
  const bytes = new Uint8Array(characters.length)
  // Ten times as fast as Uint8Array.from, which matters for conversations of a megabyte.
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at)
  return bytes
}
