/** Which of several clients of the same priority is asked first. */
import { runsOf } from '../../core/runs.ts'
import { hashOf, mixed } from '../../dialects/history/hash.ts'
import type { Member } from './member.ts'

/**
 * `order`: as they are listed. `weighted`: in turns, in proportion to their weights. `least-busy`: the one with the
 * fewest requests under way for its weight. `fastest`: the one whose replies begin soonest, requests under way included.
 */
export type Balance = (typeof BALANCES)[number]

export const BALANCES = ['order', 'weighted', 'least-busy', 'fastest'] as const

export interface Balancer {
  /**
   * The clients in the order in which a request should ask them. Clients of a lower priority stay after all others.
   * Requests of one conversation, if it is named, keep to one client as long as that is not much busier than the rest:
   * it has the beginning of the conversation in its cache.
   */
  arrange(members: readonly Member[], conversation: string | undefined): readonly Member[]
}

export function createBalancer(balance: Balance): Balancer {
  const turns = createTurns()

  function arrangeEquals(equals: readonly Member[], conversation: string | undefined): Member[] {
    if (equals.length === 1) return [...equals]
    if (conversation !== undefined) return keptTogether(equals, conversation)
    if (balance === 'order') return [...equals]
    const inTurns = turns.next(equals)
    return balance === 'weighted' ? inTurns : leastFirst(inTurns, COSTS[balance])
  }

  return {
    arrange(members, conversation) {
      if (members.length < 2) return members
      const groups = runsOf(members, ([first], next) => first?.priority === next.priority)
      return groups.flatMap((equals) => arrangeEquals(equals, conversation))
    },
  }
}

const COSTS: Readonly<Record<'least-busy' | 'fastest', (member: Member) => number>> = {
  'least-busy': ({ load, weight }) => load.underWay / weight,
  // Without the one to come, an idle client would cost nothing, however slow it is.
  fastest: ({ load, weight }) => (load.latencyMs() * (load.underWay + 1)) / weight,
}

function leastFirst(members: readonly Member[], costOf: (member: Member) => number): Member[] {
  return members
    .map((member) => ({ member, cost: costOf(member) }))
    .sort((one, other) => one.cost - other.cost)
    .map(({ member }) => member)
}

interface Turns {
  /** The members, the one whose turn it is first; takes the turn. */
  next(members: readonly Member[]): Member[]
}

/**
 * Smooth weighted round robin: each request gives every client as many points as its weight, and the client with the
 * most points pays all of them. With weights 3 and 1 that is A A B A, not A A A B.
 */
function createTurns(): Turns {
  const points = new WeakMap<Member, number>()
  const pointsOf = (member: Member): number => points.get(member) ?? 0

  return {
    next(members) {
      for (const member of members) points.set(member, pointsOf(member) + member.weight)
      const sorted = members.toSorted((one, other) => pointsOf(other) - pointsOf(one))
      const first = sorted.find(({ circuit }) => circuit.health().state === 'ready') ?? sorted[0]
      if (!first) return []
      points.set(first, pointsOf(first) - weightOf(members))
      return [first, ...sorted.filter((member) => member !== first)]
    },
  }
}

function weightOf(members: readonly Member[]): number {
  return members.reduce((sum, { weight }) => sum + weight, 0)
}

/** A client of a conversation may have this many times its share of the requests under way. */
const MAX_SHARE = 1.25

/**
 * Rendezvous hashing with bounded loads: every gateway comes to the same order for a conversation without asking
 * anybody, a client that is added or removed moves only its own conversations, and conversations that begin alike
 * do not all meet at one client.
 */
function keptTogether(members: readonly Member[], conversation: string): Member[] {
  const underWay = members.reduce((sum, { load }) => sum + load.underWay, 1)
  const weight = weightOf(members)
  const isBusy = (member: Member): boolean =>
    member.load.underWay >= Math.ceil((MAX_SHARE * underWay * member.weight) / weight)
  const seed = hashOf(conversation)
  const ranked = leastFirst(members, (member) => distanceOf(member, seed))
  return [...ranked.filter((member) => !isBusy(member)), ...ranked.filter(isBusy)]
}

/** By these distances, clients come first as often as their weights say. */
function distanceOf({ client, weight }: Member, seed: number): number {
  const hash = spread(mixed(seed, hashOf(`${client.provider}/${client.model}`)))
  return -Math.log((hash + 0.5) / 2 ** 32) / weight
}

/** The last step of MurmurHash3: neighbouring numbers become far apart. */
function spread(hash: number): number {
  let mixing = hash
  mixing = Math.imul(mixing ^ (mixing >>> 16), 0x85ebca6b)
  mixing = Math.imul(mixing ^ (mixing >>> 13), 0xc2b2ae35)
  return (mixing ^ (mixing >>> 16)) >>> 0
}
