/**
 * Progress of calls, by token. The SDK forgets a call's own listener with its answer, and so loses the
 * progress that came just before it; here a listener stays until the call is done with it.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Progress } from '@modelcontextprotocol/sdk/types.js'
import { loadSdk } from './sdk.ts'

export interface ProgressHub {
  listen(listener: (progress: Progress) => void): ProgressListener
}

export interface ProgressListener {
  /** What the call has to carry. */
  readonly token: number
  stop(): void
}

export async function createProgressHub(client: Client): Promise<ProgressHub> {
  const { ProgressNotificationSchema } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/types.js'),
  )
  const listeners = new Map<string, (progress: Progress) => void>()
  let count = 0
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
    const { progressToken, ...progress } = params
    listeners.get(String(progressToken))?.(progress)
  })
  return {
    listen(listener) {
      count += 1
      const token = count
      listeners.set(String(token), listener)
      return { token, stop: () => void listeners.delete(String(token)) }
    },
  }
}
