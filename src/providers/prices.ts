/** List prices, as far as they are known here; who pays others says so (`prices` of the gateway). */
import { checkObject } from '../core/caller-input.ts'
import type { Usage } from '../core/chat.ts'

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Input that was read from the provider's cache. Default: as `input`. */
  readonly cacheRead?: number | undefined
  /** Input that was written to the provider's cache. Default: as `input`. */
  readonly cacheWrite?: number | undefined
}

/** When the prices below were public, as year and month. */
export const PRICES_DATE = '2026-02'

export const FREE: Price = { input: 0, output: 0 }

type PriceRow = readonly [models: RegExp, price: Price]

/** Anthropic's cache: reading costs a tenth of the input, writing a quarter more than the input. */
function claude(input: number, output: number): Price {
  return { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 }
}

function cached(input: number, cacheRead: number, output: number): Price {
  return { input, output, cacheRead }
}

/**
 * By the id of the provider; the first row whose pattern fits the model counts. Prices for batches, long prompts,
 * other regions, and of whoever resells a model, are not here.
 */
const PRICES: Readonly<Record<string, readonly PriceRow[]>> = {
  openai: [
    [/^gpt-5(?:\.\d+)?-nano/, cached(0.05, 0.005, 0.4)],
    [/^gpt-5(?:\.[01])?-mini|^gpt-5\.1-codex-mini/, cached(0.25, 0.025, 2)],
    [/^gpt-5\.2(?!-pro)/, cached(1.75, 0.175, 14)],
    [/^gpt-5(?:\.1)?(?:-(?:chat|codex|\d{4}).*)?$/, cached(1.25, 0.125, 10)],
    [/^gpt-4\.1-nano/, cached(0.1, 0.025, 0.4)],
    [/^gpt-4\.1-mini/, cached(0.4, 0.1, 1.6)],
    [/^gpt-4\.1/, cached(2, 0.5, 8)],
    [/^gpt-4o-mini/, cached(0.15, 0.075, 0.6)],
    [/^gpt-4o(?!-(?:audio|realtime|transcribe|search))/, cached(2.5, 1.25, 10)],
    [/^o4-mini/, cached(1.1, 0.275, 4.4)],
    [/^o3-mini/, cached(1.1, 0.55, 4.4)],
    [/^o3(?:-\d{4}.*)?$/, cached(2, 0.5, 8)],
    [/^o1(?:-\d{4}.*)?$/, cached(15, 7.5, 60)],
  ],
  anthropic: [
    [/^claude-opus-4-[5-9]/, claude(5, 25)],
    [/^claude-(?:opus-4|3-opus)/, claude(15, 75)],
    [/^claude-(?:sonnet-4|3-[57]-sonnet)/, claude(3, 15)],
    [/^claude-haiku-4-5/, claude(1, 5)],
    [/^claude-3-5-haiku/, claude(0.8, 4)],
  ],
  google: [
    [/^gemini-3-pro/, cached(2, 0.2, 12)],
    [/^gemini-3-flash/, cached(0.5, 0.05, 3)],
    [/^gemini-2\.5-pro/, cached(1.25, 0.125, 10)],
    [/^gemini-2\.5-flash-lite/, cached(0.1, 0.01, 0.4)],
    [/^gemini-2\.5-flash/, cached(0.3, 0.03, 2.5)],
  ],
  deepseek: [[/^deepseek-(?:chat|reasoner)$/, cached(0.28, 0.028, 0.42)]],
  // Whoever runs a model pays for the machine.
  demo: [[/^/, FREE]],
  ollama: [[/^/, FREE]],
  'llama-cpp': [[/^/, FREE]],
  'lm-studio': [[/^/, FREE]],
  vllm: [[/^/, FREE]],
  sglang: [[/^/, FREE]],
}

/** Undefined for a model whose price is not known here. */
export function listPrice(providerId: string, model: string): Price | undefined {
  const rows = Object.hasOwn(PRICES, providerId) ? PRICES[providerId] : undefined
  return rows?.find(([models]) => models.test(model))?.[1]
}

const MILLION = 1_000_000

/**
 * What a reply costs in US dollars; undefined when its usage lacks the number of input or output tokens.
 *
 * @throws InvalidInputError when the usage or the price is no object.
 */
export function costOf(usage: Usage, price: Price): number | undefined {
  checkObject('the usage of costOf', usage, 'an object, as in { inputTokens: 9, outputTokens: 5 }')
  checkObject('the price of costOf', price, 'an object, as in { input: 3, output: 15 }')
  const { inputTokens: input, outputTokens: output } = usage
  const isFree = price.input === 0 && price.output === 0
  if (input === undefined || output === undefined) return isFree ? 0 : undefined
  const read = usage.cacheReadTokens ?? 0
  const written = usage.cacheWriteTokens ?? 0
  const { cacheRead = price.input, cacheWrite = price.input } = price
  const plain = Math.max(0, input - read - written)
  const dollars = plain * price.input + read * cacheRead + written * cacheWrite
  return (dollars + output * price.output) / MILLION
}
