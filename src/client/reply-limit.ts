/**
 * The limit of a reply, lowered to what is left beside the prompt. Coding agents ask for 32,000 tokens whatever the
 * model can read and write together, and some servers refuse the request for that.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { valueAt } from '../dialects/request-fields.ts'
import { overlongPart } from './context-overflow.ts'
import { ProviderError } from './errors.ts'
import type { ModelMemory } from './model-memory.ts'

/** The tokens that a request asks for, and those that it is sent with. */
export interface FittedReply {
  readonly asked: number
  readonly sent: number
}

/** Requests for no more are left alone: what they ask for is wanted, and mostly fits. */
export const LONG_REPLY = 4096
/** Nothing is lowered below this: a reply that is cut off there helps nobody. */
const LEAST_REPLY = 1024
/** Chat templates and servers count a few tokens that are not in the prompt. */
const SPARE_TOKENS = 16
/** As far as an estimate of a prompt may be too low. */
const ESTIMATE_MARGIN = 1.05

/** The limit that fits; undefined when the one that was asked for does, or none is known to. */
export function fittingReply(
  asked: number | undefined,
  prompt: JsonValue,
  memory: ModelMemory,
  model: string,
): number | undefined {
  const window = memory.windowOf(model)
  if (asked === undefined || asked <= LONG_REPLY || window === undefined) return undefined
  const tokens = estimateTokens(prompt, memory.densityOf(model)) * ESTIMATE_MARGIN
  return lowered(asked, window - Math.ceil(tokens))
}

/**
 * The limit for another attempt after the service has said by how much the request is too long; undefined when a
 * shorter reply would not help. What the service says is remembered.
 */
export function fittingAfter(
  error: unknown,
  asked: number | undefined,
  prompt: JsonValue,
  memory: ModelMemory,
  model: string,
): number | undefined {
  const overflow = error instanceof ProviderError ? error.overflow : undefined
  if (!overflow || asked === undefined) return undefined
  const part = overlongPart(overflow, estimateTokens(prompt, memory.densityOf(model)))
  if (!part) return undefined
  memory.learnWindow(model, part.limit)
  // A service that stops counting says nothing about how long a token is.
  if (!overflow.isLeast) memory.learnDensity(model, charactersIn(prompt) / part.prompt)
  return part.what === 'reply' ? lowered(asked, part.limit - part.prompt) : undefined
}

function lowered(asked: number, room: number): number | undefined {
  const most = room - SPARE_TOKENS
  return most >= LEAST_REPLY && most < asked ? most : undefined
}

// ── how long a prompt is ────────────────────────────────────────────────────────────────────────

/** Characters of a token: of English and code about 3.6, with the JSON around them. */
const USUAL_DENSITY = 3.6
/** A picture or another file counts like so many characters, whatever its bytes. */
const FILE_CHARACTERS = 5000
/** The beginning of a text shows whether it is one. */
const HEAD = 1000

/** About how many tokens a prompt has. */
function estimateTokens(prompt: JsonValue, density: number = USUAL_DENSITY): number {
  return Math.ceil(charactersIn(prompt) / density)
}

function charactersIn(prompt: JsonValue): number {
  let length = 0
  const waiting: JsonValue[] = [prompt]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') length += isFile(value) ? FILE_CHARACTERS : value.length
    else if (Array.isArray(value)) for (const item of value) waiting.push(item)
    else if (isJsonObject(value)) {
      for (const key in value) {
        length += key.length
        const inner = value[key]
        if (inner !== undefined) waiting.push(inner)
      }
    } else length += 4
  }
  return Math.max(1, length)
}

/** Files are in base 64, which has no white space. */
function isFile(text: string): boolean {
  if (text.startsWith('data:')) return true
  return text.length > HEAD && !/\s/.test(text.slice(0, HEAD))
}

// ── in a body ───────────────────────────────────────────────────────────────────────────────────

/** The limit of the reply in a body that has it at one of these dotted places. */
export function replyLimitIn(body: JsonObject, places: readonly string[]): number | undefined {
  const values = places.map((place) => valueAt(body, place))
  return values.find((value) => typeof value === 'number')
}

/** The body with another limit wherever it has one. */
export function withReplyLimit(
  body: JsonObject,
  places: readonly string[],
  limit: number,
): JsonObject {
  return places.reduce((changed, place) => changedAt(changed, place.split('.'), limit), body)
}

function changedAt(body: JsonObject, steps: readonly string[], limit: number): JsonObject {
  const [step = '', ...rest] = steps
  const value = body[step]
  if (rest.length > 0) {
    return isJsonObject(value) ? { ...body, [step]: changedAt(value, rest, limit) } : body
  }
  return typeof value === 'number' ? { ...body, [step]: limit } : body
}
