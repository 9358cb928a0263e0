/** What the gateway has recorded of its requests. */
import { createFrameReader } from '../../../src/client/frames.ts'
import type { TrafficEntry, TrafficSummary } from '../../../src/gateway/observe/traffic.ts'
import { askGateway } from './access.ts'

export async function listTraffic(): Promise<readonly TrafficSummary[]> {
  const response = await askGateway('playground/traffic')
  const { exchanges }: { exchanges: readonly TrafficSummary[] } = await response.json()
  return exchanges
}

export async function readExchange(id: string): Promise<TrafficEntry> {
  const response = await askGateway(`playground/traffic/${encodeURIComponent(id)}`)
  return response.json()
}

const ATTEMPTS = 20
const PAUSE_MS = 150

/** One that has just been answered: its record may take a moment longer. */
export async function readFinishedExchange(id: string): Promise<TrafficEntry> {
  for (let attempt = 1; ; attempt++) {
    const entry = await readExchange(id)
    if (entry.isOver || attempt === ATTEMPTS) return entry
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** Every change of an exchange, as long as the connection lasts. */
export async function* followTraffic(signal: AbortSignal): AsyncGenerator<TrafficSummary> {
  const response = await askGateway('playground/traffic/stream', { signal })
  const frames = createFrameReader('sse')
  for await (const bytes of response.body ?? []) {
    for (const { event, data } of frames.push(bytes)) {
      if (event === 'exchange') yield JSON.parse(data)
    }
  }
}
