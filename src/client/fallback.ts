/** Several clients behind one: when one fails, the next one answers. */
import { checkList, refused } from '../core/caller-input.ts'
import type { ChatResponse } from '../core/chat.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { ChatClient, ClientCapabilities } from './chat-client.ts'
import { createChatStream } from './chat-stream.ts'
import { checkRequest } from './check-request.ts'
import { monotonicNow } from './clock.ts'
import { type CircuitHealth, USUAL_COOLDOWNS } from './fallback/circuit.ts'
import {
  createMembers,
  type FallbackMember,
  isReady,
  type Member,
  type ToolFallback,
} from './fallback/member.ts'
import { checkReply } from './fallback/opening.ts'
import type { FallbackOptions } from './fallback/options.ts'
import { relay } from './fallback/relay.ts'
import { createRoute, type Send } from './fallback/route.ts'

export type { Balance } from './fallback/balance.ts'
export type { CircuitState } from './fallback/circuit.ts'
export { type FailedClient, FallbackError } from './fallback/fallback-error.ts'
export type { FallbackMember, ToolFallback } from './fallback/member.ts'
export type { FallbackOptions, SwitchEvent } from './fallback/options.ts'

export interface ClientHealth extends CircuitHealth {
  readonly provider: string
  readonly model: string
}

/**
 * A client made of others. `provider`, `model` and `modelInfo` are those of the one that would be asked next. Each
 * answers with its own model, whatever model a request names.
 */
export interface Fallback extends ChatClient {
  /** How the clients are, in the order in which they are asked. */
  health(): ClientHealth[]
  /** Forgets the failures of all clients, or of those of one provider or model. */
  reset(which?: { readonly provider?: string; readonly model?: string }): void
}

/**
 * Several clients as one: the first that can answers.
 *
 * @example
 * const client = createFallback([
 *   createClient({ provider: 'anthropic', model: 'claude-sonnet-4-5' }),
 *   createClient({ provider: 'openai', model: 'gpt-5' }),
 * ])
 */
export function createFallback(
  clients: readonly (ChatClient | FallbackMember)[],
  options: FallbackOptions = {},
): Fallback {
  checkMembers(clients)
  checkKeys('createFallback', options, KEYS, '{ retries: 1 }')
  const { now = monotonicNow } = options
  const { cooldownMs = USUAL_COOLDOWNS.cooldownMs } = options
  const { maxCooldownMs = USUAL_COOLDOWNS.maxCooldownMs } = options
  const members = createMembers(clients, { cooldownMs, maxCooldownMs, now })
  const ask = createRoute(members, options)

  return {
    get provider() {
      return firstOf(members)?.provider ?? 'unknown'
    },
    get model() {
      return firstOf(members)?.model ?? 'unknown'
    },
    get capabilities() {
      return capabilitiesOf(members, options.toolFallback)
    },
    async complete(request, given = {}) {
      const { value, visit, leave } = await ask(checkRequest(request, given), given, sendWhole)
      visit.succeed()
      leave()
      return value
    },
    stream(request, given = {}) {
      const checked = checkRequest(request, given)
      return createChatStream((ending) => relay(ask, checked, given, ending))
    },
    async modelInfo(given) {
      const first = members.find(isReady) ?? members[0]
      const info = await first?.client.modelInfo?.(given)
      const { contextWindow = info?.contextWindow } = first ?? {}
      const window = contextWindow !== undefined && { contextWindow }
      return { ...(info ?? { id: first?.client.model ?? 'unknown' }), ...window }
    },
    health: () => members.map(healthOf),
    reset({ provider, model } = {}) {
      for (const { client, circuit } of members) {
        const isOther =
          (provider !== undefined && provider !== client.provider) ||
          (model !== undefined && model !== client.model)
        if (!isOther) circuit.reset()
      }
    },
  }
}

const KEYS: OptionKeys<FallbackOptions> = {
  retries: 0,
  cooldownMs: 0,
  maxCooldownMs: 0,
  toolFallback: 0,
  balance: 0,
  sticky: 0,
  failsOver: 0,
  onSwitch: 0,
  now: 0,
  random: 0,
  sleep: 0,
}

function checkMembers(clients: readonly unknown[]): void {
  checkList('the clients of createFallback', clients, 'a list of what createClient() gives')
  if (clients.length === 0) {
    throw new InvalidInputError('createFallback needs at least one client, as createClient() gives')
  }
  for (const [at, member] of clients.entries()) {
    const client = isJsonObject(member) && 'client' in member ? member['client'] : member
    const isClient = typeof (client as Partial<ChatClient> | null)?.complete === 'function'
    if (!isClient) throw refused(`clients[${at}]`, client, 'a client, as createClient() gives one')
  }
}

const sendWhole: Send<ChatResponse> = async (client, request, options) => {
  const response = await client.complete(request, options)
  checkReply(response)
  return response
}

function firstOf(members: readonly Member[]): ChatClient | undefined {
  return (members.find(isReady) ?? members[0])?.client
}

function healthOf({ client: { provider, model }, circuit }: Member): ClientHealth {
  return { provider, model, ...circuit.health() }
}

function capabilitiesOf(
  members: readonly Member[],
  toolFallback: ToolFallback | undefined,
): ClientCapabilities {
  const native = members.filter(({ client }) => client.capabilities.nativeTools)
  const asked = toolFallback === 'text' || native.length === 0 ? members : native
  const first = firstOf(asked)?.capabilities
  return {
    nativeTools: native.length > 0,
    streamsTools: first?.streamsTools ?? false,
    toolMode: first?.toolMode ?? 'native',
  }
}
