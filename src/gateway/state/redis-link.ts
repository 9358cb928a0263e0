/**
 * The way to Redis, for a caller that must not wait: a short silence of Redis is the limit for every question,
 * and after one that was not answered it is left alone until it answers a question that nobody waits for.
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
  /** How long Redis may be silent while it is asked. */
  readonly commandMs: number
  /** How long Redis is left alone. */
  readonly restMs: number
}

export interface RedisLink {
  /** The answers, or undefined when not all of them came. Never rejects. */
  ask(...commands: readonly (readonly string[])[]): Promise<readonly unknown[] | undefined>
  /** The same for commands that are worth a longer wait. */
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
/** How long one question may take at most, however much Redis has to do. */
const LONGEST_MS = 2000

export function createRedisLink(options: RedisLinkOptions): RedisLink {
  const { redis, commandMs, restMs, onProblem } = options
  const { promise: firstNews, resolve: settle } = promised()
  let isUp = false
  let isClosed = false
  let tries = 0
  let answeredAt = Number.NEGATIVE_INFINITY
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
      await inTime(commandMs, send(tried, ['PING']))
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

  async function send(to: RedisConnection, command: readonly string[]): Promise<unknown> {
    const answer = await to.send(command)
    answeredAt = performance.now()
    return answer
  }

  /** A Redis that has much to do answers late, but it answers: only silence is a reason to give it up. */
  function inTime<T>(ms: number, answer: Promise<T>): Promise<T> {
    const askedAt = performance.now()
    return unlessSilent(answer, () => {
      const now = performance.now()
      const left = Math.max(ms, LONGEST_MS) - (now - askedAt)
      return Math.min(left, ms - (now - Math.max(askedAt, answeredAt)))
    })
  }

  const askWithin: RedisLink['askWithin'] = async (ms, ...commands) => {
    if (!isUp || !connection.isReady()) return undefined
    const asked = connection
    try {
      return await inTime(ms, Promise.all(commands.map((one) => send(asked, one))))
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

/** Rejects when `patience` says that nothing is left of it; it is asked in milliseconds. */
function unlessSilent<T>(answer: Promise<T>, patience: () => number): Promise<T> {
  return new Promise((resolve, reject) => {
    let isAnswered = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const expire = (): void => {
      if (isAnswered) return
      const ms = patience()
      if (ms > 0) wait(ms)
      else reject(new ToolglotError('redis_timeout', 'Redis gave no answer in time'))
    }
    const wait = (ms: number): void => {
      // When this process was busy itself, the answer may be there: it is read before `expire` has its turn.
      timer = setTimeout(() => setImmediate(expire), ms)
    }
    wait(patience())
    answer.then(resolve, reject).finally(() => {
      isAnswered = true
      clearTimeout(timer)
    })
  })
}
