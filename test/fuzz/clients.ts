/** Many clients at a time over kept-alive connections; each reads its reply to the end, or hangs up. */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Question } from './questions.ts'

export interface Clients {
  /** Asks so many questions, `width` of them at a time. */
  ask(next: () => Question, count: number, width: number): Promise<void>
  /** How often each status came; `left` counts clients that hung up, `broken` replies cut off. */
  readonly statuses: Record<string, number>
  /** What no client may ever see. */
  readonly problems: string[]
  close(): void
}

/** `patienceMs`: a request without an answer after this time is stuck. */
export function createClients(url: string, patienceMs: number): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const statuses: Record<string, number> = {}
  const problems: string[] = []

  async function askAll(next: () => Question, count: number, width: number): Promise<void> {
    let left = count
    const client = async (): Promise<void> => {
      while (left-- > 0) {
        const asked = next()
        const ending = await askOne(url, asked, agent, patienceMs)
        statuses[ending.name] = (statuses[ending.name] ?? 0) + 1
        if (ending.problem) problems.push(`${ending.problem}: ${shown(asked)}`)
      }
    }
    await Promise.all(Array.from({ length: width }, client))
  }

  return { ask: askAll, statuses, problems, close: () => agent.destroy() }
}

interface Ending {
  readonly name: string
  readonly problem?: string
}

function askOne(
  url: string,
  { path, headers, body, leavesAfterMs }: Question,
  agent: Agent,
  patienceMs: number,
): Promise<Ending> {
  return new Promise((resolve) => {
    const sent: ClientRequest = request(url + path, { method: 'POST', headers, agent })
    const timers: NodeJS.Timeout[] = []
    const finish = (ending: Ending): void => {
      for (const timer of timers) clearTimeout(timer)
      resolve(ending)
    }
    const giveUp = (ending: Ending, ms: number): void => {
      const leave = (): void => {
        finish(ending)
        sent.destroy()
      }
      timers.push(setTimeout(leave, ms))
    }
    giveUp({ name: 'stuck', problem: 'no end of the reply' }, patienceMs)
    if (leavesAfterMs !== undefined) giveUp({ name: 'left' }, leavesAfterMs)
    sent.on('error', (error: NodeJS.ErrnoException) => finish({ name: error.code ?? 'error' }))
    sent.on('response', (response) => read(response, finish))
    sent.end(body)
  })
}

function read(response: IncomingMessage, finish: (ending: Ending) => void): void {
  const { statusCode: status = 0, headers } = response
  const name = String(status)
  const isOurFault = headers['x-toolglot-error'] === 'internal'
  response.resume()
  response.on('error', () => finish({ name: 'broken' }))
  response.on('close', () => {
    if (isOurFault) finish({ name, problem: 'the gateway failed' })
    else finish({ name: response.complete ? name : 'broken' })
  })
}

function shown({ path, body }: Question): string {
  return `POST ${path} ${Buffer.from(body.subarray(0, 600)).toString('latin1')}`
}
