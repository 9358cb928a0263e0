/** What passes through the gateway, as it happens. */
import { effect, signal } from '@preact/signals'
import type { TrafficEntry, TrafficSummary } from '../../../src/gateway/observe/traffic.ts'
import { messageOf, RefusedError } from '../gateway/access.ts'
import { followTraffic, listTraffic, readExchange } from '../gateway/traffic.ts'
import type { Shareable } from '../shared-fields.ts'

/** Newest first. */
export const exchanges = signal<readonly TrafficSummary[]>([])
export const selected = signal<string>()
export const entry = signal<TrafficEntry>()
export const entryProblem = signal<string>()
export const connection = signal<'connecting' | 'live' | 'lost' | 'refused'>('connecting')
/** Why the gateway does not show its traffic. */
export const refusal = signal('')

/** As many as are worth scrolling through. */
const KEPT = 200
const RETRY_MS = 2_000

/** Follows the traffic until it is told to end. */
export function watchTraffic(): () => void {
  const abort = new AbortController()
  connection.value = 'connecting'
  void watch(abort.signal)
  return () => abort.abort()
}

async function watch(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const changes = followTraffic(signal)
      // The stream is open before the list is asked for, so that nothing falls between the two.
      const first = changes.next()
      // Awaited below; until then its failure must not count as unhandled.
      first.catch(() => {})
      exchanges.value = merged(await listTraffic(), exchanges.peek())
      connection.value = 'live'
      const { value, done } = await first
      if (!done) note(value)
      for await (const change of changes) note(change)
    } catch (error) {
      if (!signal.aborted && error instanceof RefusedError) return refuse(error)
      // Anything else is told by the state of the connection.
    }
    if (signal.aborted) return
    connection.value = 'lost'
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** Asking again would not help. */
function refuse({ message }: RefusedError): void {
  refusal.value = message
  connection.value = 'refused'
}

function note(change: TrafficSummary): void {
  exchanges.value = merged([change], exchanges.peek())
}

function merged(
  news: readonly TrafficSummary[],
  known: readonly TrafficSummary[],
): readonly TrafficSummary[] {
  const byId = new Map([...known, ...news].map((one) => [one.id, one]))
  return [...byId.values()].sort((one, other) => other.at - one.at).slice(0, KEPT)
}

/** The selected one is read again when it changes. */
effect(() => {
  const id = selected.value
  if (id === undefined) return
  // Read so that its changes bring us here.
  void exchanges.value.find((one) => one.id === id)?.isOver
  void show(id)
})

async function show(id: string): Promise<void> {
  try {
    const read = await readExchange(id)
    if (selected.peek() !== id) return
    entry.value = read
    entryProblem.value = undefined
  } catch (error) {
    if (selected.peek() === id) entryProblem.value = messageOf(error)
  }
}

export const trafficShare: Shareable = {
  read: () => (selected.value === undefined ? {} : { selected: selected.value }),
  write({ text }) {
    selected.value = text('selected')
  },
}
