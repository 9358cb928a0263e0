import { describe, expect, test } from 'vitest'
import type { ChatClient } from '../chat-client.ts'
import { ProviderError } from '../errors.ts'
import { createBalancer } from './balance.ts'
import { createMembers, type FallbackMember, type Member } from './member.ts'

const CIRCUIT = { cooldownMs: 1000, maxCooldownMs: 1000 }

function client(model: string): ChatClient {
  const capabilities = { nativeTools: true, streamsTools: true, toolMode: 'native' } as const
  const never = (): never => {
    throw new Error('it is only arranged, not asked')
  }
  return { provider: 'p', model, capabilities, complete: never, stream: never }
}

function membersOf(
  weights: Readonly<Record<string, number>>,
  now: () => number = () => 0,
  more: Omit<FallbackMember, 'client'> = {},
): Member[] {
  const specs = Object.entries(weights).map(([model, weight]) => {
    return { ...more, client: client(model), weight }
  })
  return createMembers(specs, { ...CIRCUIT, now })
}

const names = (members: readonly Member[]): string =>
  members.map(({ client: { model } }) => model).join('')

function named(members: readonly Member[], model: string): Member {
  const found = members.find(({ client: one }) => one.model === model)
  if (!found) throw new Error(`there is no ${model}`)
  return found
}

function firsts(
  balancer: ReturnType<typeof createBalancer>,
  members: readonly Member[],
  times: number,
): string {
  const asked = Array.from({ length: times }, () => balancer.arrange(members, undefined)[0])
  return names(asked.filter((one) => one !== undefined))
}

test('as they are listed', () => {
  expect(firsts(createBalancer('order'), membersOf({ a: 1, b: 9 }), 3)).toBe('aaa')
})

describe('weighted', () => {
  test('gives each its share, spread over the turns', () => {
    expect(firsts(createBalancer('weighted'), membersOf({ a: 3, b: 1 }), 8)).toBe('aabaaaba')
  })

  test('leaves out who cools down, and goes on with the others', () => {
    const members = membersOf({ a: 1, b: 1, c: 1 })
    const error = new ProviderError('rate_limited', 'slow down')
    named(members, 'b').circuit.enter().fail(error, 'growing')
    expect(firsts(createBalancer('weighted'), members, 4)).not.toContain('b')
  })

  test('keeps priorities apart', () => {
    const members = createMembers(
      [
        { client: client('z'), priority: 1 },
        { client: client('a') },
        { client: client('y'), priority: 1 },
        { client: client('b') },
      ],
      { ...CIRCUIT, now: () => 0 },
    )
    const balancer = createBalancer('weighted')
    const orders = Array.from({ length: 2 }, () => names(balancer.arrange(members, undefined)))
    expect(orders).toEqual(['abzy', 'bayz'])
  })
})

describe('least-busy', () => {
  test('asks the one with the fewest requests under way for its weight', () => {
    const members = membersOf({ a: 1, b: 2 })
    const balancer = createBalancer('least-busy')
    const order: string[] = []
    const visits = Array.from({ length: 6 }, () => {
      const [first] = balancer.arrange(members, undefined)
      order.push(first?.client.model ?? '')
      return first?.load.enter()
    })
    expect(order.filter((model) => model === 'b')).toHaveLength(4)
    for (const visit of visits) visit?.leave()
    expect(members.map(({ load }) => load.underWay)).toEqual([0, 0])
  })
})

describe('fastest', () => {
  /** One request of a client whose reply begins after a while. */
  function answer(member: Member, clock: { now: number }, ms: number): void {
    const visit = member.load.enter()
    clock.now += ms
    visit.begin()
    visit.leave()
  }

  test('tries each, then asks the one whose replies begin soonest', () => {
    const clock = { now: 0 }
    const members = membersOf({ slow: 1, fast: 1 }, () => clock.now)
    const balancer = createBalancer('fastest')
    for (let times = 0; times < 2; times++) {
      const [first] = balancer.arrange(members, undefined)
      if (first) answer(first, clock, first.client.model === 'slow' ? 900 : 100)
    }
    expect(firsts(balancer, members, 5)).toBe('fast'.repeat(5))
  })

  test('takes the requests under way into account', () => {
    const clock = { now: 0 }
    const members = membersOf({ slow: 1, fast: 1 }, () => clock.now)
    answer(named(members, 'slow'), clock, 300)
    answer(named(members, 'fast'), clock, 100)
    const waiting = Array.from({ length: 3 }, () => named(members, 'fast').load.enter())
    const balancer = createBalancer('fastest')
    expect(balancer.arrange(members, undefined)[0]?.client.model).toBe('slow')
    for (const visit of waiting) visit.leave()
    expect(balancer.arrange(members, undefined)[0]?.client.model).toBe('fast')
  })

  test('tries one again that was slow long ago', () => {
    const clock = { now: 0 }
    const members = membersOf({ slow: 1, fast: 1 }, () => clock.now)
    answer(named(members, 'slow'), clock, 900)
    for (let minutes = 0; minutes < 5; minutes++) {
      clock.now += 60_000
      answer(named(members, 'fast'), clock, 100)
    }
    expect(createBalancer('fastest').arrange(members, undefined)[0]?.client.model).toBe('slow')
  })
})

describe('conversations', () => {
  const CONVERSATIONS = Array.from({ length: 3000 }, (_, at) => `What about bridge ${at}?`)
  const balancer = createBalancer('weighted')
  const homes = (members: readonly Member[]): string[] =>
    CONVERSATIONS.map((one) => balancer.arrange(members, one)[0]?.client.model ?? '')

  test('each has one client, in proportion to the weights', () => {
    const members = membersOf({ a: 1, b: 2, c: 1 })
    const found = homes(members)
    expect(homes(members)).toEqual(found)
    const counts = ['a', 'b', 'c'].map((model) => found.filter((one) => one === model).length)
    for (const [at, share] of [0.25, 0.5, 0.25].entries()) {
      expect((counts[at] ?? 0) / CONVERSATIONS.length).toBeCloseTo(share, 1)
    }
  })

  test('a client that is taken away moves only its own conversations', () => {
    const before = homes(membersOf({ a: 1, b: 1, c: 1 }))
    const after = homes(membersOf({ a: 1, c: 1 }))
    const moved = before.filter((home, at) => home !== after[at])
    expect(new Set(moved)).toEqual(new Set(['b']))
  })

  test('conversations that begin alike do not all meet at one client', () => {
    const members = membersOf({ a: 1, b: 1 })
    for (let requests = 0; requests < 20; requests++) {
      balancer.arrange(members, 'Classify this text.')[0]?.load.enter()
    }
    const [one = 0, other = 0] = members.map(({ load }) => load.underWay)
    expect(Math.min(one, other)).toBeGreaterThanOrEqual(7)
  })
})

test.for([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('the weight %s is refused', (weight) => {
  expect(() => membersOf({ a: weight })).toThrow(/weight/)
})
