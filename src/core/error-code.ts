/**
 * A short, stable code for anything a tool can throw, for models and logs to tell errors apart.
 *
 * An error and everything it wraps (`cause`, `errors`) is looked at from the outside in, and the
 * first that says something definite decides:
 *
 * 1. its own `errorCode`, as it is;
 * 2. cancelled, timed out, name not resolved, other network trouble;
 * 3. arguments that break the schema or are not JSON: `InvalidArgs`;
 * 4. the exit code of a process: `ExitCode:2`;
 * 5. its own `code`: an errno (`ENOENT`; `EPERM` counts as `EACCES`) or any other;
 * 6. a message in a form that programs share: an errno in it, `exit status 2`, Go's context errors.
 *
 * When none of them does, the outermost error's class (`RangeError`) or, for a plain `Error`, the
 * first word of its message (`json: bad input` is a `JsonError`) has to do.
 */
import type { ToolResult } from './model.ts'

type Fields = Readonly<Record<string, unknown>>

const MAX_LINKS = 32
const MAX_MESSAGE = 2000
const MAX_WORD = 24

const CANCELED: ReadonlySet<unknown> = new Set([
  'AbortError',
  'CanceledError',
  'CancelError',
  'ABORT_ERR',
  'ERR_CANCELED',
  'UND_ERR_ABORTED',
])

const NETWORK_TIMEOUTS: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ESOCKETTIMEDOUT',
])

// What each engine's `fetch` says when it cannot say more.
const FETCH_FAILED = /^(?:fetch failed|Failed to fetch|Load failed|NetworkError when attempting)/

const ERRNO =
  /\b(?:ENOENT|EACCES|EPERM|EISDIR|ENOTDIR|ENOTEMPTY|EEXIST|ENOSPC|EMFILE|ENFILE|EROFS|EBUSY|EINVAL|EIO|EAGAIN|EPIPE|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/

const LOOKS_LIKE_A_CODE = /^[A-Za-z][A-Za-z0-9]*(?:[_.:/-][A-Za-z0-9]+)*$/

// First match wins; the narrower one stands first.
const MESSAGES: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/\bcontext cancell?ed\b/, 'Canceled'],
  [/\bcontext deadline exceeded\b/, 'Timeout'],
  [/\bno such host\b/, 'DNSError'],
  [/\b(?:(?:dial|read|write) (?:tcp|udp)|net\.OpError)\b.*\btimeout\b/, 'NetworkTimeout'],
  [/\b(?:(?:dial|read|write) (?:tcp|udp)|net\.OpError)\b/, 'NetworkError'],
]

const EXIT = /\bexit(?:ed)? (?:with )?(?:status code|status|code):? (\d+)\b/i

/** The code of an error of any kind; `''` when there is no error. */
export function errorCodeOf(error: unknown): string {
  if (error === null || error === undefined) return ''
  const links = unwrap(error)
  const codes = links.map(definiteCode).filter((code) => code !== undefined)
  return refine(codes) ?? className(links[0]) ?? codeFromWord(messageOf(links[0])) ?? 'UnknownError'
}

/** The outcome of a tool that returns a text and possibly an error, as the content of a result. */
export function outcomeOf(
  output: string,
  error?: unknown,
): Pick<ToolResult, 'isError' | 'errorCode'> & { readonly content: string } {
  if (error === null || error === undefined) return { content: output }
  const message = messageOf(error) || errorCodeOf(error)
  const content = output === '' ? message : `${output.trimEnd()}\nerror: ${message}`
  return { content, isError: true, errorCode: errorCodeOf(error) }
}

/** The letters and digits a message begins with, 24 at most. */
export function leadingWord(message: string): string {
  return message.match(/^[\p{L}\p{N}]+/u)?.[0].slice(0, MAX_WORD) ?? ''
}

/** The error and all it wraps, outermost first; errors may wrap each other in circles. */
function unwrap(error: unknown): unknown[] {
  const links = new Set<unknown>()
  const pending = [error]
  while (pending.length > 0 && links.size < MAX_LINKS) {
    const link = pending.shift()
    if (link === null || link === undefined || links.has(link)) continue
    links.add(link)
    const inner = read(link, 'errors')
    pending.push(read(link, 'cause'), ...(Array.isArray(inner) ? inner.slice(0, MAX_LINKS) : []))
  }
  return [...links]
}

/** Prefers what an inner error knows better than the one around it. */
function refine([code, ...deeper]: readonly string[]): string | undefined {
  if (code === 'NetworkError') return deeper.find((inner) => inner !== code) ?? code
  // Node reports a signal that timed out as an abort, with the time-out as its cause.
  return code === 'Canceled' && deeper.includes('Timeout') ? 'Timeout' : code
}

function definiteCode(link: unknown): string | undefined {
  if (typeof link === 'string') return codeFromMessage(link)
  if (typeof link !== 'object') return undefined
  return (
    plausibleCode(read(link, 'errorCode')) ??
    interruption(link) ??
    networkCode(link) ??
    (breaksSchema(link) ? 'InvalidArgs' : undefined) ??
    exitCode(link) ??
    ownCode(link) ??
    codeFromMessage(messageOf(link))
  )
}

function interruption(link: unknown): string | undefined {
  const name = read(link, 'name')
  if (name === 'TimeoutError' || read(link, 'timedOut') === true) return 'Timeout'
  const isCanceled = CANCELED.has(name) || CANCELED.has(read(link, 'code'))
  return isCanceled || read(link, 'isCanceled') === true ? 'Canceled' : undefined
}

function networkCode(link: unknown): string | undefined {
  const code = read(link, 'code')
  const syscall = String(read(link, 'syscall') ?? '')
  if (NETWORK_TIMEOUTS.has(code)) return 'NetworkTimeout'
  // Elsewhere, as in spawnSync, the same errno has nothing to do with the network.
  if (code === 'ETIMEDOUT' && /^(?:connect|read|write)$/.test(syscall)) return 'NetworkTimeout'
  if (
    code === 'ENOTFOUND' ||
    /^EAI_/.test(String(code)) ||
    /^(?:getaddrinfo|query)/.test(syscall)
  ) {
    return 'DNSError'
  }
  const isVague = /^UND_ERR_/.test(String(code)) || code === 'ERR_NETWORK'
  return isVague || FETCH_FAILED.test(messageOf(link)) ? 'NetworkError' : undefined
}

/** Zod, Valibot and Standard Schema list `issues`; Ajv lists `errors` that point into the schema. */
function breaksSchema(link: unknown): boolean {
  return (
    lists(link, 'issues', 'message') ||
    lists(link, 'errors', 'schemaPath') ||
    (read(link, 'name') === 'SyntaxError' && /JSON/.test(messageOf(link)))
  )
}

function lists(link: unknown, key: string, field: string): boolean {
  const list = read(link, key)
  if (!Array.isArray(list) || list.length === 0) return false
  return list.every((entry) => typeof read(entry, field) === 'string')
}

// The field is called `code` by exec, `status` by execSync, `exitCode` by execa and others. A bare
// number in `code` is not enough: DOMException and database drivers use it for other things.
function exitCode(link: unknown): string | undefined {
  const code = read(link, 'code')
  const isProcess = ['cmd', 'spawnargs', 'stderr'].some((key) => read(link, key) !== undefined)
  const own = isProcess ? [code, read(link, 'status')] : []
  const exit = [read(link, 'exitCode'), ...own].find((value) => typeof value === 'number')
  return exit === undefined ? undefined : `ExitCode:${exit}`
}

function ownCode(link: unknown): string | undefined {
  const code = plausibleCode(read(link, 'code'))
  return code === 'EPERM' ? 'EACCES' : code
}

function plausibleCode(code: unknown): string | undefined {
  const isCode = typeof code === 'string' && code.length <= 64 && LOOKS_LIKE_A_CODE.test(code)
  return isCode ? code : undefined
}

function codeFromMessage(message: string): string | undefined {
  const [, exit] = EXIT.exec(message) ?? []
  if (exit !== undefined) return `ExitCode:${exit}`
  const [errno] = ERRNO.exec(message) ?? []
  if (errno !== undefined) return errno === 'EPERM' ? 'EACCES' : errno
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1]
}

// `constructor.name` is for classes that forgot to set `name`; a bundler may have shortened it.
function className(link: unknown): string | undefined {
  const candidates = [read(link, 'name'), read(read(link, 'constructor'), 'name')]
  return candidates
    .filter((name) => typeof name === 'string')
    .find((name) => /^[A-Z][A-Za-z0-9]*(?:Error|Exception)$/.test(name))
}

function codeFromWord(message: string): string | undefined {
  // Command line tools begin with this word, which says nothing.
  const word = leadingWord(message.replace(/^error:\s*/i, ''))
  if (word === '') return undefined
  const capitalized = word.charAt(0).toUpperCase() + word.slice(1)
  return capitalized.endsWith('Error') ? capitalized : `${capitalized}Error`
}

function messageOf(error: unknown): string {
  const message = typeof error === 'string' ? error : read(error, 'message')
  return typeof message === 'string' ? message.trim().slice(0, MAX_MESSAGE) : ''
}

// Anything can be thrown, objects whose getters throw included.
function read(value: unknown, key: string): unknown {
  try {
    return typeof value === 'object' || typeof value === 'function'
      ? (value as Fields | null)?.[key]
      : undefined
  } catch {
    return undefined
  }
}
