/** The clients of a chain, and whose turn it is. */
import { refused } from '../../core/caller-input.ts'
import type { ChatClient, ClientRequest } from '../chat-client.ts'
import { ProviderError } from '../errors.ts'
import { needsTools } from '../tool-choice.ts'
import { type Circuit, type CircuitOptions, createCircuit } from './circuit.ts'
import { createLoad, type Load } from './load.ts'

/** A client with its place in the chain. */
export interface FallbackMember {
  readonly client: ChatClient
  /** The lowest number is asked first; the order of the list counts among equals. Default 0. */
  readonly priority?: number | undefined
  /**
   * How many tokens the model can read. A request that was too long for one is not tried with another
   * that is known to read no more.
   */
  readonly contextWindow?: number | undefined
  /** How many requests it gets in proportion to others of its priority, where they are balanced. Default 1. */
  readonly weight?: number | undefined
  /** Shared with other chains that have the same client. Default: one of its own. */
  readonly circuit?: Circuit | undefined
}

/** What becomes of clients without native tools when a request has tools. */
export type ToolFallback = 'skip' | 'text'

export interface Member {
  readonly client: ChatClient
  readonly circuit: Circuit
  readonly load: Load
  readonly priority: number
  readonly weight: number
  readonly contextWindow: number | undefined
  /** A client may find out later that its model takes no tools. */
  readonly hadTools: boolean
}

export interface MemberSpec extends FallbackMember {
  /** Whether it is expected to have native tools, whatever its model has refused. Default: as it says now. */
  readonly hadTools?: boolean | undefined
  /** Shared with other chains, like the circuit. */
  readonly load?: Load | undefined
}

export function createMembers(
  given: readonly (ChatClient | MemberSpec)[],
  options: CircuitOptions,
): Member[] {
  return given
    .map((one): MemberSpec => ('client' in one ? one : { client: one }))
    .map((one) => ({ ...one, priority: one.priority ?? 0, weight: checkedWeight(one.weight) }))
    .sort((one, other) => one.priority - other.priority)
    .map(({ client, circuit = createCircuit(options), ...own }) => ({
      client,
      circuit,
      load: own.load ?? createLoad(options.now),
      priority: own.priority,
      weight: own.weight,
      contextWindow: own.contextWindow,
      hadTools: own.hadTools ?? client.capabilities.nativeTools,
    }))
}

function checkedWeight(weight = 1): number {
  if (Number.isFinite(weight) && weight > 0) return weight
  throw refused('weight', weight, 'a number above 0')
}

/** Clients that may answer a request, and whether they may do so in text mode. */
export interface Round {
  readonly members: readonly Member[]
  readonly textFallback: boolean
}

export interface RoundOptions {
  readonly toolFallback: ToolFallback
  /** False: whoever asks the chain wants no text mode. */
  readonly textFallback: boolean
}

/**
 * Whom a request is put to: all clients, or those with native tools if it has tools. Throws when there are
 * none. While they are asked, it may turn out that they have no tools after all: then there is another round.
 */
export function roundFor(
  request: ClientRequest,
  members: readonly Member[],
  { toolFallback, textFallback }: RoundOptions,
): Round {
  if (members.length === 0) throw new ProviderError('unsupported', 'the chain has no clients')
  const needsNone = !needsTools(request)
  if (needsNone || (toolFallback === 'text' && textFallback)) return { members, textFallback }
  const able = members.filter(({ client }) => client.capabilities.nativeTools)
  if (able.length > 0) return { members: able, textFallback: false }
  // Those that have refused tools go on in text mode: a chain that has worked goes on working.
  const refusing = textFallback ? members.filter(({ hadTools }) => hadTools) : []
  if (refusing.length > 0) return { members: refusing, textFallback: true }
  const message = "no client of the chain has native tools; toolFallback: 'text' does without"
  throw new ProviderError('unsupported', message)
}

/** A member that has failed to answer the request at hand. */
export interface FailedMember {
  readonly member: Member
  readonly error: ProviderError
}

/**
 * The next to be asked: the first that is ready. When none is, the one that will be soonest, unless that
 * one has just failed.
 */
export function nextMember(
  members: readonly Member[],
  failed: readonly FailedMember[],
): Member | undefined {
  const left =
    failed.length === 0
      ? members
      : members.filter((member) => !failed.some((one) => mayNotBeAsked(member, one)))
  const ready = left.find(isReady)
  if (ready) return ready
  const failedNow = failed.map(({ member }) => member).filter(isCooling)
  const [soonest] = [...left, ...failedNow].sort((one, other) => waitOf(one) - waitOf(other))
  return soonest && left.includes(soonest) ? soonest : undefined
}

function mayNotBeAsked(candidate: Member, { member, error }: FailedMember): boolean {
  if (candidate === member) return true
  if (error.code !== 'context_length_exceeded') return false
  return (candidate.contextWindow ?? Infinity) <= (member.contextWindow ?? 0)
}

export function isReady({ circuit }: Member): boolean {
  return circuit.health().state === 'ready'
}

function isCooling({ circuit }: Member): boolean {
  return circuit.health().state === 'cooling'
}

function waitOf({ circuit }: Member): number {
  return circuit.health().cooldownMs
}
