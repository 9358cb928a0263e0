/** The way of a request through the clients of a chain. */
import type { ChatClient, ClientRequest, RequestOptions } from '../chat-client.ts'
import { ProviderError } from '../errors.ts'
import type { Visit } from './circuit.ts'
import { policyFor } from './failure-policy.ts'
import { FallbackError } from './fallback-error.ts'
import { type FailedMember, type Member, membersFor, nextMember } from './member.ts'
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
}

export interface AskOptions extends RequestOptions {
  /** Told whenever this request goes on to another client. */
  readonly onSwitch?: FallbackOptions['onSwitch']
}

/** Asks one client after the other until one answers. */
export type Ask = <T>(
  request: ClientRequest,
  options: AskOptions,
  send: Send<T>,
) => Promise<Answer<T>>

export function createRoute(members: readonly Member[], options: FallbackOptions): Ask {
  const { toolFallback = 'skip' } = options
  const persist = createPersistence(options)

  return async ({ model: _, ...request }, { signal, onSwitch = options.onSwitch }, send) => {
    const able = membersFor(request, members, toolFallback)
    const failed: FailedMember[] = []
    let member = nextMember(able, failed)
    while (member) {
      const { client } = member
      signal?.throwIfAborted()
      const visit = member.circuit.enter()
      try {
        const value = await persist(client, signal, (given) => send(client, request, given))
        return { value, visit }
      } catch (error) {
        if (signal?.aborted || !(error instanceof ProviderError)) {
          visit.leave()
          throw signal?.aborted ? signal.reason : error
        }
        const policy = policyFor(error)
        visit.fail(error, policy.cooldown)
        failed.push({ member, error })
        const goesOn = options.failsOver?.(error) ?? policy.failsOver
        member = goesOn ? nextMember(able, failed) : undefined
        if (member) onSwitch?.({ from: client, to: member.client, error })
      }
    }
    throw summary(failed)
  }
}

function summary(failed: readonly FailedMember[]): ProviderError {
  const all = failed.map(({ member: { client }, error }) => ({
    provider: client.provider,
    model: client.model,
    error,
  }))
  const last = all.at(-1)
  if (!last) return new ProviderError('unsupported', 'no client of the chain can be asked')
  return all.length === 1 ? last.error : new FallbackError(all, last)
}
