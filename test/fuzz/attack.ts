/** Damaged requests to a real gateway process, whose provider answers with damaged replies of one dialect. */
import { type ServiceId, servicesAt } from '../support/gateway-services.ts'
import { createClients } from './clients.ts'
import { createDice } from './dice.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { question } from './questions.ts'
import { startDamagedProvider } from './replies.ts'

/** Clients at a time. */
const CLIENTS = 32
/** Requests after which buffers, caches and compiled code have their usual size. */
const WARM_UP = 2000
/** No patience of the gateway is longer in this run. */
const TIMEOUTS = { connectMs: 1000, idleMs: 1000, totalMs: 3000 }
/** A reply that has not ended by then never ends, also on a machine with ten times as much work as cores. */
const STUCK_MS = 20 * TIMEOUTS.totalMs
const ADMIN = { authorization: 'Bearer admin-key' }

export interface AttackOptions {
  /** What the provider speaks. */
  readonly dialect: ServiceId
  readonly requests: number
  readonly seed: string
}

export interface AttackReport {
  readonly dialect: ServiceId
  readonly requests: number
  readonly seconds: number
  /** The longest time that the event loop was busy with one piece of work. */
  readonly blockedMs: number
  /** What the process holds more at the end than after the first requests. */
  readonly growthBytes: number
  readonly statuses: Readonly<Record<string, number>>
  /** An end of the process, replies with the error `internal`, requests that never end. */
  readonly problems: readonly string[]
}

export async function attackGateway(options: AttackOptions): Promise<AttackReport> {
  const { dialect, seed } = options
  const provider = await startDamagedProvider(createDice(`${seed} replies of ${dialect}`))
  const gateway = await startGatewayProcess({
    providers: servicesAt(provider.url, { timeouts: TIMEOUTS }),
    keys: [
      { name: 'fuzz', key: 'fuzz-key', concurrency: 4 * CLIENTS },
      { name: 'admin', key: 'admin-key', admin: true },
    ],
    discover: false,
    shutdownMs: 5000,
  })
  try {
    return await attack(gateway, options)
  } finally {
    if (gateway.exit() === undefined) await gateway.stop()
    await provider.close()
  }
}

async function attack(gateway: GatewayProcess, options: AttackOptions): Promise<AttackReport> {
  const { dialect, requests, seed } = options
  const start = performance.now()
  const dice = createDice(`${seed} requests to ${dialect}`)
  const clients = createClients(gateway.url, STUCK_MS)
  const next = () => question(dialect, dice)
  await clients.ask(next, Math.min(WARM_UP, requests), CLIENTS)
  const before = await gateway.vitals()
  const rest = requests - WARM_UP
  if (rest > 0) await clients.ask(next, rest, CLIENTS)
  if (gateway.exit() !== undefined) {
    throw new Error(`the gateway ended with ${gateway.exit()}: ${gateway.errors().slice(-2000)}`)
  }
  const problems = [...clients.problems]
  const stuck = await underWay(gateway.url)
  if (stuck > 0) problems.push(`${stuck} requests are still under way`)
  clients.close()
  const after = await gateway.vitals()
  return {
    dialect,
    requests,
    seconds: (performance.now() - start) / 1000,
    blockedMs: Math.max(before.blockedMs, after.blockedMs),
    growthBytes: after.heapBytes - before.heapBytes,
    statuses: clients.statuses,
    problems,
  }
}

/** Requests under way once all clients are gone, apart from the one that asks. */
async function underWay(url: string): Promise<number> {
  const deadline = performance.now() + 2 * TIMEOUTS.totalMs
  for (;;) {
    const text = await (await fetch(`${url}/metrics`, { headers: ADMIN })).text()
    const found = /^toolglot_requests_in_flight (\d+)$/m.exec(text)
    const count = Number(found?.[1] ?? Number.NaN) - 1
    if (count === 0 || performance.now() > deadline) return count
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
