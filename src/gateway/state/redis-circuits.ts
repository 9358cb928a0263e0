/**
 * Circuits that learn from other gateways. Each gateway decides by its own, without asking anybody; what
 * happens to one is told to all, and kept for those that come later.
 */
import { monotonicNow } from '../../client/clock.ts'
import { PROVIDER_ERROR_CODES, ProviderError, type ProviderErrorCode } from '../../client/errors.ts'
import type { Circuit, KnownHealth } from '../../client/fallback/circuit.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import type { CircuitBoard } from '../state.ts'
import { circuitName } from './memory-state.ts'
import type { RedisLink } from './redis-link.ts'
import { LIST_CIRCUITS, runScript, TELL_CIRCUIT } from './redis-scripts.ts'

export interface RedisCircuitsOptions {
  readonly prefix: string
  readonly gateway: string
}

export interface RedisCircuits extends CircuitBoard {
  /** What another gateway has said on the channel. */
  hear(message: string): void
  /** Tells what could not be told, and asks what has become known. */
  catchUp(): Promise<void>
}

interface News {
  readonly failures: number
  readonly cooldownMs: number
  readonly code: ProviderErrorCode | undefined
}

const MAX_CIRCUITS = 10_000
/** Failures in a row are remembered for longer than they keep requests away. */
const KEPT_MS = 600_000

export function channelOf(prefix: string): string {
  return `${prefix}circuits:news`
}

export function createRedisCircuits(
  link: RedisLink,
  local: CircuitBoard,
  { prefix, gateway }: RedisCircuitsOptions,
): RedisCircuits {
  const circuits = createRecentMap<Circuit>({ maxEntries: MAX_CIRCUITS })
  /** Of circuits that nobody has asked for yet, with the time when it was heard. */
  const heard = createRecentMap<News & { readonly at: number }>({ maxEntries: MAX_CIRCUITS })
  const untold = createRecentMap<true>({ maxEntries: MAX_CIRCUITS })
  const keys = [`${prefix}circuits`, `${prefix}circuits:until`]

  async function tell(name: string): Promise<void> {
    const health = circuits.get(name)?.health()
    if (!health) return
    const { failures, lastError } = health
    const cooldownMs = Math.ceil(health.cooldownMs)
    const code = lastError?.code ?? ''
    const said = JSON.stringify({ gateway, name, failures, cooldownMs, code })
    const kept = cooldownMs + KEPT_MS
    const args = [name, failures, cooldownMs, code, kept, MAX_CIRCUITS, channelOf(prefix), said]
    untold.delete(name)
    if (!(await link.ask(runScript(TELL_CIRCUIT, keys, args)))) untold.set(name, true)
  }

  function learn(name: string, news: News): void {
    const circuit = circuits.get(name)
    if (circuit) circuit.adopt(healthFrom(news))
    else heard.set(name, { ...news, at: monotonicNow() })
  }

  /** A circuit that is new here begins with what is known elsewhere. */
  function meet(name: string, circuit: Circuit): void {
    circuits.set(name, circuit)
    const news = heard.get(name)
    heard.delete(name)
    if (!news) return
    const cooldownMs = Math.max(0, news.cooldownMs - (monotonicNow() - news.at))
    circuit.adopt(healthFrom({ ...news, cooldownMs }))
  }

  return {
    circuitFor(provider, model, options) {
      const name = circuitName(provider, model)
      const onChange: typeof options.onChange = (health) => {
        options.onChange?.(health)
        void tell(name)
      }
      const circuit = local.circuitFor(provider, model, { ...options, onChange })
      if (circuits.get(name) !== circuit) meet(name, circuit)
      return circuit
    },

    hear(message) {
      const said = readMessage(message)
      if (said && said.gateway !== gateway) learn(said.name, said)
    },

    async catchUp() {
      await Promise.all([...untold.keys()].map(tell))
      const [list] = (await link.ask(runScript(LIST_CIRCUITS, keys, []))) ?? []
      for (const [name, news] of readList(list)) learn(name, news)
    },
  }
}

function healthFrom({ failures, cooldownMs, code }: News): KnownHealth {
  if (!code) return { failures, cooldownMs }
  const message = `another gateway has found out: ${PROVIDER_ERROR_CODES[code]}`
  const lastError = new ProviderError(code, message, { retryAfterMs: cooldownMs })
  return { failures, cooldownMs, lastError }
}

function readMessage(
  message: string,
): (News & { readonly gateway: string; readonly name: string }) | undefined {
  try {
    const said: unknown = JSON.parse(message)
    if (typeof said !== 'object' || said === null) return undefined
    // The cast: all fields are checked.
    const { gateway, name, failures, cooldownMs, code } = said as Readonly<Record<string, unknown>>
    const news = readNews(failures, cooldownMs, code)
    if (!news || typeof gateway !== 'string' || typeof name !== 'string') return undefined
    return { gateway, name, ...news }
  } catch {
    return undefined
  }
}

function readList(list: unknown): [name: string, news: News][] {
  if (!Array.isArray(list)) return []
  const found: [string, News][] = []
  for (let i = 0; i + 3 < list.length; i += 4) {
    const news = readNews(Number(list[i + 1]), Number(list[i + 2]), list[i + 3])
    if (news) found.push([String(list[i]), news])
  }
  return found
}

function readNews(failures: unknown, cooldownMs: unknown, code: unknown): News | undefined {
  if (!isCount(failures) || !isCount(cooldownMs)) return undefined
  return { failures, cooldownMs, code: isCode(code) ? code : undefined }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isCode(value: unknown): value is ProviderErrorCode {
  return typeof value === 'string' && Object.hasOwn(PROVIDER_ERROR_CODES, value)
}
