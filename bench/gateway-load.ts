/** Clients of a gateway, all in one process: so many at a time, until all have been answered. */
import { connect, type Socket } from 'node:net'
import { createMessageReader } from './http-message.ts'
import { TOOLS } from './inputs.ts'

export interface LoadTask {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  readonly streamed: boolean
  readonly tools: boolean
  readonly requests: number
  readonly concurrency: number
  /** What must stand in every reply. */
  readonly expects: string
}

export interface LoadResult {
  readonly seconds: number
  readonly errors: number
  readonly firstError?: string | undefined
  /** Milliseconds from the provider's write to the client's read of each chunk that says when. */
  readonly delays: Percentiles
  /** Milliseconds from a request to the end of its reply. */
  readonly latencies: Percentiles
}

export interface Percentiles {
  readonly p50: number
  readonly p99: number
}

const SHOWN = TOOLS.map(({ name, inputSchema }) => ({
  type: 'function',
  function: { name, parameters: inputSchema },
}))

process.on('message', async (task: LoadTask) => process.send?.(await run(task)))
process.send?.({ port: 0 })

async function run(task: LoadTask): Promise<LoadResult> {
  const delays: number[] = []
  const latencies: number[] = []
  const request = requestOf(task)
  let left = task.requests
  let errors = 0
  let firstError: string | undefined
  const started = performance.now()

  async function client(): Promise<void> {
    const connection = connectTo(task, delays)
    while (left-- > 0) {
      const began = performance.now()
      try {
        await connection.ask(request)
        latencies.push(performance.now() - began)
      } catch (error) {
        errors++
        firstError ??= String(error)
      }
    }
    connection.close()
  }

  await Promise.all(Array.from({ length: task.concurrency }, client))
  const seconds = (performance.now() - started) / 1000
  return {
    seconds,
    errors,
    firstError,
    delays: percentilesOf(delays),
    latencies: percentilesOf(latencies),
  }
}

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

function requestOf(task: LoadTask): string {
  const body = bodyOf(task)
  const headers = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...task.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${task.path} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

function bodyOf({ model, streamed, tools }: LoadTask): string {
  const messages = [
    { role: 'system', content: 'You are a helpful assistant with tools for a harbour office.' },
    { role: 'user', content: 'What is the weather like in Lisbon today, and is the harbour open?' },
  ]
  return JSON.stringify({ model, messages, stream: streamed, ...(tools && { tools: SHOWN }) })
}

interface Connection {
  /** Rejects when the answer is not what it should be. */
  ask(request: string): Promise<void>
  close(): void
}

/** One connection with one request on its way at a time; made anew when it was lost. */
function connectTo({ port, expects }: LoadTask, delays: number[]): Connection {
  let socket: Socket | undefined
  let settle: ((problem?: string) => void) | undefined

  function open(): Socket {
    const fresh = connect(port, '127.0.0.1').setNoDelay()
    const reader = createMessageReader((body, head) => {
      const isRight = head.startsWith('HTTP/1.1 200') && body.includes(expects)
      settle?.(isRight ? undefined : `${head.slice(0, 40)}: ${body.slice(-300)}`)
    })
    fresh.on('data', (bytes) => {
      noteDelays(bytes, delays)
      reader.push(bytes)
    })
    fresh.on('error', (error) => settle?.(String(error)))
    fresh.on('close', () => {
      socket = undefined
      settle?.('the connection was closed')
    })
    return fresh
  }

  return {
    ask(request) {
      socket ??= open()
      socket.write(request)
      return new Promise((resolve, reject) => {
        settle = (problem) => (problem === undefined ? resolve() : reject(new Error(problem)))
      })
    },
    close: () => socket?.destroy(),
  }
}

/** A comment in front of a frame says when the provider sent it. */
function noteDelays(bytes: Buffer, delays: number[]): void {
  const now = performance.timeOrigin + performance.now()
  for (const [, sent] of bytes.toString('latin1').matchAll(/: (\d{13}\.\d+)\n/g))
    delays.push(now - Number(sent))
}
