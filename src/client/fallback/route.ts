/** The way of a request through the clients of a chain. */
import type { ChatClient, ClientRequest, RequestOptions } from '../chat-client.ts'
import { ProviderError } from '../errors.ts'
import { createBalancer } from './balance.ts'
import { USUAL_COOLDOWNS, type Visit } from './circuit.ts'
import { conversationOf } from './conversation.ts'
import { policyFor } from './failure-policy.ts'
import { FallbackError } from './fallback-error.ts'
import { type FailedMember, type Member, nextMember, type Round, roundFor } from './member.ts'
import type { FallbackOptions } from './options.ts'
import { createPersistence } from './persistence.ts'

/** How a client is asked. */
export type Send<T> = (
  client: ChatClient,
  request: ClientRequest,
  options: RequestOptions,
) => Promise<T>

export interface Answer<T> {
  readonly value: T
  /** To be told what came of it in the end. */
  readonly visit: Visit
  /** To be called when the reply is over: until then, the client is that much busier. */
  readonly leave: () => void
}

export interface AskOptions extends RequestOptions {
  /** Told whenever this request goes on to another client. */
  readonly onSwitch?: FallbackOptions['onSwitch']
  /** What names the conversation of the request, for chains that keep conversations together. */
  readonly conversation?: string | undefined
}

/** Asks one client after the other until one answers. */
export type Ask = <T>(
  request: ClientRequest,
  options: AskOptions,
  send: Send<T>,
) => Promise<Answer<T>>

export function createRoute(members: readonly Member[], options: FallbackOptions): Ask {
  const { toolFallback = 'skip', maxCooldownMs = USUAL_COOLDOWNS.maxCooldownMs } = options
  const persist = createPersistence(options)
  const balancer = createBalancer(options.balance ?? 'order')

  return async ({ model: _, ...request }, asked, send) => {
    const {
      signal,
      onSwitch = options.onSwitch,
      textFallback = true,
      conversation,
      ...manner
    } = asked
    const kept = options.sticky ? (conversation ?? conversationOf(request.messages)) : undefined
    const arranged = balancer.arrange(members, kept)
    const newRound = (): Round => roundFor(request, arranged, { toolFallback, textFallback })
    let round = newRound()
    let failed: FailedMember[] = []
    let member = nextMember(round.members, failed)
    while (member) {
      const { client } = member
      const { textFallback: mayUseText } = round
      signal?.throwIfAborted()
      const visit = member.circuit.enter()
      const stay = member.load.enter()
      try {
        const value = await persist(client, signal, (own) =>
          send(client, request, { ...manner, ...own, textFallback: mayUseText }),
        )
        stay.begin()
        return { value, visit, leave: () => stay.leave() }
      } catch (error) {
        stay.leave()
        if (signal?.aborted || !(error instanceof ProviderError)) {
          visit.leave()
          throw signal?.aborted ? signal.reason : error
        }
        const policy = policyFor(error)
        visit.fail(error, policy.cooldown)
        failed.push({ member, error })
        if (!(options.failsOver?.(error) ?? policy.failsOver)) break
        member = nextMember(round.members, failed)
        if (!member && isRefused(round, failed)) {
          round = newRound()
          failed = []
          member = nextMember(round.members, failed)
        }
        if (member && member.client !== client)
          onSwitch?.({ from: client, to: member.client, error })
      }
    }
    throw summary(failed, maxCooldownMs)
  }
}

/** True when all who were asked have turned out to have no native tools. */
function isRefused({ members, textFallback }: Round, failed: readonly FailedMember[]): boolean {
  if (textFallback || failed.length === 0) return false
  return !members.some(({ client }) => client.capabilities.nativeTools)
}

function summary(failed: readonly FailedMember[], maxWaitMs: number): ProviderError {
  const all = failed.map(({ member: { client }, error }) => ({
    provider: client.provider,
    model: client.model,
    error: withinReason(error, maxWaitMs),
  }))
  const last = all.at(-1)
  if (!last) return new ProviderError('unsupported', 'no client of the chain can be asked')
  return all.length === 1 ? last.error : new FallbackError(all, last)
}

/** Nobody need wait longer than the client that failed is left alone. */
function withinReason(error: ProviderError, maxWaitMs: number): ProviderError {
  const { code, message, retryAfterMs = 0, cause } = error
  if (retryAfterMs <= maxWaitMs) return error
  return new ProviderError(code, message, { ...error, retryAfterMs: maxWaitMs, cause })
}
