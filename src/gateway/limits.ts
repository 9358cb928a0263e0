/** What everything a client sends is held to, whatever path it takes. */
import { MAX_JSON_DEPTH } from '../core/json/depth.ts'
import type { GatewayConfig } from './config.ts'
import { GatewayError } from './gateway-error.ts'

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE
const GIBIBYTE = 1024 * MEBIBYTE

type LimitName =
  | 'requestBytes'
  | 'uploadBytes'
  | 'blobBytes'
  | 'replyBytes'
  | 'concurrency'
  | 'headerBytes'
  | 'modelNameLength'
  | 'toolNameLength'
  | 'jsonDepth'
  | 'jsonValues'
  | 'messages'
  | 'tools'
  | 'toolBytes'
  | 'toolsBytes'
  | 'unreadBytes'

export type Limits = Readonly<Record<LimitName, number>>

export const LIMIT_DEFAULTS: Limits = {
  requestBytes: 32 * MEBIBYTE,
  /** Audio of 25 MB and pictures of 50 MB are the most that OpenAI takes. */
  uploadBytes: 64 * MEBIBYTE,
  /** The largest files of open models; they are passed on as they come. */
  blobBytes: 1024 * GIBIBYTE,
  replyBytes: 64 * MEBIBYTE,
  concurrency: 10_000,
  /** As much as Node takes by default. */
  headerBytes: 16 * KIBIBYTE,
  /** The longest names that providers have are ARNs of some hundred characters. */
  modelNameLength: 1024,
  /** Providers take 64 or 128; longer ones, as tools of MCP servers have them, are shortened on the way. */
  toolNameLength: 256,
  jsonDepth: MAX_JSON_DEPTH,
  /** Five for each message: itself, its role, a list of contents, one of these and its text. */
  jsonValues: 1_250_000,
  messages: 250_000,
  /** Providers take 128 at most; some clients of MCP servers offer several hundred. */
  tools: 1024,
  toolBytes: 256 * KIBIBYTE,
  toolsBytes: 4 * MEBIBYTE,
  /** Four of the longest replies that are allowed by default. */
  unreadBytes: 256 * MEBIBYTE,
}

export function limitsOf({ limits = {} }: GatewayConfig): Limits {
  const given = Object.entries(limits).filter(([, limit]) => limit !== undefined)
  return { ...LIMIT_DEFAULTS, ...Object.fromEntries(given) }
}

/** The error for a part of a request that is too much; `value` is what it has, as far as it was counted. */
export function overLimit(
  what: string,
  value: number | string,
  limits: Partial<Limits>,
  option: keyof Limits,
): GatewayError {
  const message = `${what}: ${value}; the limit of this gateway is ${limits[option]} (limits.${option})`
  return new GatewayError('limit_exceeded', message)
}

export function checkLimit<Option extends keyof Limits>(
  what: string,
  value: number,
  limits: Pick<Limits, Option>,
  option: Option,
): void {
  if (value > limits[option]) throw overLimit(what, value, limits, option)
}

/** The error for a body that is longer than it may be. */
export function bodyTooLarge(
  maxBytes: number,
  option: 'requestBytes' | 'uploadBytes' | 'blobBytes' = 'requestBytes',
): GatewayError {
  const message = `the body is longer than ${maxBytes} bytes, the limit of this gateway (limits.${option})`
  return new GatewayError('body_too_large', message)
}
