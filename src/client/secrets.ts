/**
 * What nobody may see of a connection: its keys. Everything that comes from a provider passes here once, before
 * anybody else reads it.
 */
import { ProviderError } from './errors.ts'
import {
  createNeedles,
  createSecretMask,
  type Needles,
  type SecretMask,
  type Spelling,
} from './secret-mask.ts'

/** Shorter ones would be found in ordinary words; no provider gives out keys as short as that. */
const MIN_LENGTH = 8
/** Keys that are made anew for each request would be too many to remember. */
const MAX_PASSING = 100

/**
 * What documents of local servers and SDKs write where a key must be given and none is needed. They are in no
 * need of hiding, and some of them are words of ordinary replies.
 */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'anything',
  'api-key-not-needed',
  'dummy-key',
  'fake-key',
  'lm-studio',
  'llama.cpp',
  'localhost',
  'lmstudio',
  'no-api-key',
  'no-key-required',
  'not-needed',
  'not-required',
  'placeholder',
  'sk-no-key-required',
  'undefined',
  'unneeded',
  'whatever',
  'your-api-key',
])

export interface Secrets {
  add(secret: string | undefined): void
  /** The value of a header that may say who is asking, also without its scheme: `Bearer`, `Basic`. */
  addHeader(name: string, value: string): void
  /** The values in the query of an address that may be keys, and the parts of its path that look like one. */
  addAddress(url: URL): void
  /** One that is used for a while only; the last hundred are known. */
  addPassing(secret: string | undefined): void
  /** The text without any of them. */
  hide(text: string): string
  /** The error as a cause, and the ones that caused it, without any of them. */
  hideIn(error: unknown): unknown
  /** For a text that comes in chunks. */
  mask(): SecretMask
}

export function createSecrets(): Secrets {
  const lasting = new Set<string>()
  const passing = new Set<string>()
  let needles: Needles | undefined
  /** The one used last; mostly it is used again. */
  let newest: string | undefined

  function current(): Needles {
    needles ??= createNeedles([...lasting, ...passing].flatMap(spellingsOf))
    return needles
  }

  function hide(text: string): string {
    const mask = createSecretMask(current)
    const bytes = encoder.encode(text)
    const clean = [mask.push(bytes), mask.end()]
    if (clean[0] === bytes) return text
    return clean.map((part) => decoder.decode(part)).join('')
  }

  function add(secret: string | undefined): void {
    if (!isSecret(secret) || lasting.has(secret)) return
    lasting.add(secret)
    needles = undefined
  }

  return {
    add,
    addHeader(name, value) {
      if (!mayBeKey(name, value)) return
      add(value)
      const [, scheme = '', credentials] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(value) ?? []
      add(credentials)
      // Servers repeat the password as they read it.
      if (/^basic$/i.test(scheme)) add(passwordIn(credentials ?? ''))
    },
    addAddress({ pathname, search, searchParams }) {
      for (const [name, value] of searchParams) if (mayBeKey(name, value)) add(value)
      // The same as they are written in the address.
      for (const [, name = '', value = ''] of search.matchAll(/[?&]([^=&]*)=([^&]*)/g)) {
        if (mayBeKey(name, value)) add(value)
      }
      for (const part of pathname.split('/')) if (looksRandom(part)) add(part)
    },
    addPassing(secret) {
      if (!isSecret(secret) || secret === newest) return
      newest = secret
      if (!passing.has(secret)) needles = undefined
      passing.delete(secret)
      passing.add(secret)
      const [oldest] = passing
      if (oldest !== undefined && passing.size > MAX_PASSING) passing.delete(oldest)
    },
    hide,
    hideIn: (error) => withoutKeys(error, hide, 0),
    mask: () => createSecretMask(current),
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function isSecret(text: string | undefined): text is string {
  return text !== undefined && text.length >= MIN_LENGTH && !PLACEHOLDERS.has(text.toLowerCase())
}

// ── what may be a key ───────────────────────────────────────────────────────────────────────────

/** Names of headers and parameters whose value says who is asking. */
const CREDENTIAL_NAME =
  /auth|key|token|secret|pass|pwd|cookie|signature|credential|session|^(?:code|sig)$/i
/** Names of those that say other things, which replies may repeat. */
const PUBLIC_NAME =
  /version|beta|model|region|organi[sz]ation|project|provider|title|referer|origin|agent|accept|content|^alt$/i

/** Where the name says nothing, a value without digits is a word rather than a key. */
function mayBeKey(name: string, value: string): boolean {
  if (CREDENTIAL_NAME.test(name) || looksRandom(value)) return true
  return /\d/.test(value) && !PUBLIC_NAME.test(name)
}

/** True for letters and digits without a pause, which no name or version has. */
function looksRandom(value: string): boolean {
  const [run = ''] = /[a-z0-9_]{16,}/i.exec(value) ?? []
  return /\d/.test(run) && /[a-z]/i.test(run)
}

// ── spellings ───────────────────────────────────────────────────────────────────────────────────

/**
 * As it is, as JSON, addresses and pages have it, in base 64 and in hexadecimal digits. Escape sequences with a
 * backslash or a percent sign need no spelling of their own: they are read as what they stand for.
 */
function spellingsOf(secret: string): readonly Spelling[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const inAddress = new URLSearchParams({ _: secret }).toString().slice('_='.length)
  const plain = [secret, json, inAddress, ...PAGES.map((escapes) => onPage(secret, escapes))]
  const packed = [...base64Of(secret), hexOf(secret)].filter(({ length }) => length >= MIN_LENGTH)
  return [
    ...plain.map((text) => ({ text, maySplit: true })),
    ...packed.map((text) => ({ text, maySplit: false })),
  ]
}

/** What templates of HTML escape of the characters that keys have: those of Go, and those of Mustache. */
const PAGES: readonly Readonly<Record<string, string>>[] = [
  { '+': '&#43;', '&': '&amp;' },
  { '/': '&#x2F;', '=': '&#x3D;', '&': '&amp;' },
]

function onPage(secret: string, escapes: Readonly<Record<string, string>>): string {
  return secret.replace(/[+/=&]/g, (character) => escapes[character] ?? character)
}

function hexOf(secret: string): string {
  return Array.from(encoder.encode(secret), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** In base 64, whatever comes before and after it there, in both alphabets. */
function base64Of(secret: string): readonly string[] {
  const bytes = String.fromCharCode(...encoder.encode(secret))
  return [0, 1, 2].flatMap((before) => {
    const written = btoa('\0'.repeat(before) + bytes).replace(/=+$/, '')
    // Characters that have bits of a neighbour in them.
    const start = Math.ceil((before * 4) / 3)
    const isWhole = (before + bytes.length) % 3 === 0
    const own = written.slice(start, isWhole ? undefined : -1)
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function passwordIn(base64: string): string | undefined {
  try {
    return /:(.*)$/s.exec(atob(base64))?.[1]
  } catch {
    // No base64: the value itself is all there is.
    return undefined
  }
}

// ── errors ──────────────────────────────────────────────────────────────────────────────────────

/** Errors may be caused by themselves. */
const MAX_CAUSES = 10

function withoutKeys(error: unknown, hide: Secrets['hide'], depth: number): unknown {
  if (typeof error === 'string') return hide(error)
  if (!(error instanceof Error)) return isObject(error) ? new Error(hide(String(error))) : error
  if (depth > MAX_CAUSES) return undefined
  const text = `${error.message}\n${error.stack ?? ''}`
  const cause = error.cause === undefined ? undefined : withoutKeys(error.cause, hide, depth + 1)
  if (hide(text) === text && cause === error.cause && !hasMore(error, hide)) return error
  const clean = new Error(hide(error.message), { cause })
  clean.name = error.name
  clean.stack = hide(error.stack ?? '')
  const { code } = error as { code?: unknown } // as errors of Node have it
  return typeof code === 'string' ? Object.assign(clean, { code: hide(code) }) : clean
}

/** Libraries hang requests on their errors, and requests have keys. */
function hasMore(error: Error, hide: Secrets['hide']): boolean {
  return Object.entries(error).some(([name, value]) => {
    if (name === 'cause') return false
    return isObject(value) || (typeof value === 'string' && hide(value) !== value)
  })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The same error without keys, also in what caused it. */
export function withoutSecrets(error: ProviderError, secrets: Secrets): ProviderError {
  const { hide, hideIn } = secrets
  const message = hide(error.message)
  const cause = error.cause === undefined ? undefined : hideIn(error.cause)
  if (message === error.message && cause === error.cause) return error
  return new ProviderError(error.code, message, { ...error, cause })
}
