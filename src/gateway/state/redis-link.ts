/**
 * The way to Redis, for a caller that must not wait: every question has a short time limit, and after one
 * that was not answered Redis is left alone until it answers a question that nobody waits for.
 */
import { monotonicNow } from '../../client/clock.ts'
import { ToolglotError } from '../../core/errors.ts'
import { connectRedis, type RedisConnection } from './redis-connection.ts'
import type { RedisPackage } from './redis-package.ts'

export interface RedisLinkOptions {
  readonly redis: RedisPackage
  readonly url: string
  readonly channel: string
  readonly onMessage: (message: string) => void
  /** Redis can be asked, for the first time or again, or messages may have been missed. */
  readonly onUp: () => void
  /** Told once each time that Redis goes away, and now and then of questions that it refuses. */
  readonly onProblem: (error: unknown) => void
  readonly commandMs: number
  /** How long Redis is left alone. */
  readonly restMs: number
}

export interface RedisLink {
  /** The answers, or undefined when not all of them came. Never rejects. */
  ask(...commands: readonly (readonly string[])[]): Promise<readonly unknown[] | undefined>
  /** The same for commands that may take longer than the usual time limit. */
  askWithin(
    ms: number,
    ...commands: readonly (readonly string[])[]
  ): Promise<readonly unknown[] | undefined>
  /** A problem with what Redis holds; reported now and then only. */
  report(error: unknown): void
  isUp(): boolean
  /** Until Redis can be asked and heard, or does not look like it. */
  settled(ms: number): Promise<void>
  close(): void
}

/** A connection that is open, but on which nothing comes, is given up after as many tries. */
const TRIES_PER_CONNECTION = 5
const REFUSALS_EVERY_MS = 60_000

export function createRedisLink(options: RedisLinkOptions): RedisLink {
  const { redis, commandMs, restMs, onProblem } = options
  const { promise: firstNews, resolve: settle } = promised()
  let isUp = false
  let isClosed = false
  let tries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let refusalsFrom = Number.NEGATIVE_INFINITY
  /** Told of at the beginning of each time without Redis, the first included. */
  let isProblemKnown = false
  let connection = connect()

  function connect(): RedisConnection {
    tries = 0
    const { url, channel, onMessage } = options
    return connectRedis({
      redis,
      url,
      channel,
      onMessage,
      onReady: () => void probe(),
      onError: goDown,
    })
  }

  function goDown(error: unknown): void {
    if (isClosed) return
    isUp = false
    settle()
    if (!isProblemKnown) onProblem(error)
    isProblemKnown = true
    probeLater()
  }

  function probeLater(): void {
    clearTimeout(timer)
    timer = setTimeout(() => void probe(), restMs)
    timer.unref()
  }

  async function probe(): Promise<void> {
    if (isClosed) return
    const tried = connection
    if (!tried.isReady()) return probeLater()
    try {
      await within(commandMs, tried.send(['PING']))
    } catch (error) {
      return giveUp(tried, error)
    }
    if (isClosed || tried !== connection) return
    clearTimeout(timer)
    tries = 0
    isUp = true
    isProblemKnown = false
    if (tried.isListening()) settle()
    options.onUp()
  }

  function giveUp(tried: RedisConnection, error: unknown): void {
    if (isClosed || tried !== connection) return
    tries += 1
    if (tries >= TRIES_PER_CONNECTION) {
      connection.destroy()
      connection = connect()
    }
    goDown(error)
  }

  /** A question that Redis refuses is no reason to ask nothing else. */
  function reportRefusal(error: unknown): void {
    const now = monotonicNow()
    if (now < refusalsFrom) return
    refusalsFrom = now + REFUSALS_EVERY_MS
    onProblem(error)
  }

  const askWithin: RedisLink['askWithin'] = async (ms, ...commands) => {
    if (!isUp || !connection.isReady()) return undefined
    const asked = connection
    try {
      return await within(ms, Promise.all(commands.map((one) => asked.send(one))))
    } catch (error) {
      if (error instanceof redis.ErrorReply) reportRefusal(error)
      else if (asked === connection) goDown(error)
      return undefined
    }
  }

  return {
    ask: (...commands) => askWithin(commandMs, ...commands),
    askWithin,
    report: reportRefusal,
    isUp: () => isUp && connection.isReady(),
    async settled(ms) {
      const limit = setTimeout(settle, ms)
      await firstNews
      clearTimeout(limit)
    },
    close() {
      isClosed = true
      isUp = false
      clearTimeout(timer)
      connection.destroy()
    },
  }
}

function promised(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = (): void => {
      reject(new ToolglotError('redis_timeout', `Redis gave no answer within ${ms} ms`))
    }
    // When this process was busy itself, the answer may be there: it is read before `expire` has its turn.
    const timer = setTimeout(() => setImmediate(expire), ms)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
