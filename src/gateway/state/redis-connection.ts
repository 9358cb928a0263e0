/** One pair of connections to Redis: one that is asked, one that listens. */
import type { RedisPackage } from './redis-package.ts'

export interface RedisConnectionOptions {
  readonly redis: RedisPackage
  readonly url: string
  readonly channel: string
  readonly onMessage: (message: string) => void
  /** One of the two is connected, for the first time or again. */
  readonly onReady: () => void
  /** A connection broke or could not be made; it is tried again. */
  readonly onError: (error: unknown) => void
}

export interface RedisConnection {
  /** Whether there is any hope for a command. */
  isReady(): boolean
  isListening(): boolean
  send(command: readonly string[]): Promise<unknown>
  /** Nothing is heard of it any more. */
  destroy(): void
}

const CONNECT_MS = 2000
const LONGEST_PAUSE_MS = 1000

export function connectRedis(options: RedisConnectionOptions): RedisConnection {
  const { redis, url, channel, onMessage } = options
  const asked = redis.createClient({
    url,
    // The oldest version of the protocol, so that any server will do.
    RESP: 2,
    maintNotifications: 'disabled',
    // Commands that cannot be sent fail at once, and none is sent twice.
    disableOfflineQueue: true,
    // The time limit is ours (redis-link.ts); the package's ends when the command is written.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: pauseBefore },
  })
  const listening = asked.duplicate({ disableOfflineQueue: false })
  let isDestroyed = false
  let isSubscribed = false

  const tell = (): void => {
    if (!isDestroyed) options.onReady()
  }
  const fail = (error: unknown): void => {
    if (!isDestroyed) options.onError(error)
  }
  asked.on('ready', tell).on('error', fail)
  // After the first time, the package subscribes again by itself before it is ready.
  listening.on('error', fail).on('ready', () => isSubscribed && tell())

  async function listen(): Promise<void> {
    await listening.connect()
    await listening.subscribe(channel, (message) => {
      if (!isDestroyed) onMessage(message)
    })
    isSubscribed = true
    tell()
  }
  asked.connect().catch(fail)
  listen().catch(fail)

  return {
    isReady: () => asked.isReady,
    isListening: () => isSubscribed && listening.isReady,
    send: (command) => asked.sendCommand(command),
    destroy() {
      isDestroyed = true
      asked.destroy()
      listening.destroy()
    },
  }
}

/** Some chance in it, so that not all gateways come back in the same moment. */
function pauseBefore(retries: number): number {
  return Math.min(LONGEST_PAUSE_MS, 50 * 2 ** Math.min(retries, 10)) * (0.5 + Math.random() / 2)
}
