/** Clients of a gateway, all in one process: so many at a time, until all have been answered. */
import { Agent, request as send } from 'node:http'
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
  readonly delays: { readonly p50: number; readonly p99: number }
}

const SHOWN = TOOLS.map(({ name, inputSchema }) => ({
  type: 'function',
  function: { name, parameters: inputSchema },
}))

process.on('message', async (task: LoadTask) => process.send?.(await run(task)))
process.send?.({ port: 0 })

async function run(task: LoadTask): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: task.concurrency })
  const delays: number[] = []
  let left = task.requests
  let errors = 0
  let firstError: string | undefined
  const body = bodyOf(task)
  const started = performance.now()

  async function client(): Promise<void> {
    while (left-- > 0) {
      try {
        await ask(task, body, agent, delays)
      } catch (error) {
        errors++
        firstError ??= String(error)
      }
    }
  }

  await Promise.all(Array.from({ length: task.concurrency }, client))
  const seconds = (performance.now() - started) / 1000
  agent.destroy()
  delays.sort((a, b) => a - b)
  const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? 0
  return { seconds, errors, firstError, delays: { p50: at(0.5), p99: at(0.99) } }
}

function bodyOf({ model, streamed, tools }: LoadTask): string {
  const messages = [
    { role: 'system', content: 'You are a helpful assistant with tools for a harbour office.' },
    { role: 'user', content: 'What is the weather like in Lisbon today, and is the harbour open?' },
  ]
  return JSON.stringify({ model, messages, stream: streamed, ...(tools && { tools: SHOWN }) })
}

function ask(
  { port, path, headers, expects }: LoadTask,
  body: string,
  agent: Agent,
  delays: number[],
): Promise<void> {
  const origin = performance.timeOrigin
  return new Promise((resolve, reject) => {
    const request = send({
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
    })
    request.on('error', reject)
    request.on('response', (reply) => {
      let text = ''
      reply.setEncoding('latin1')
      reply.on('data', (piece: string) => {
        const now = origin + performance.now()
        for (const [, sent] of piece.matchAll(/: (\d{13}\.\d+)\n/g)) delays.push(now - Number(sent))
        text += piece
      })
      reply.on('error', reject)
      reply.on('end', () => {
        if (reply.statusCode === 200 && text.includes(expects)) resolve()
        else reject(new Error(`status ${reply.statusCode}: ${text.slice(-300)}`))
      })
    })
    request.end(body)
  })
}
