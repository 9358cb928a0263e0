/** A real Redis, which a test may start, stop and kill as it likes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createClient } from 'redis'
import { freePort } from './balancer.ts'

export const REDIS_MISSING =
  'redis-server is not installed; on Debian and Ubuntu: apt-get install redis-server; on macOS: brew install redis'

export interface RedisServer {
  readonly url: string
  /** After a `kill`, on the same port and with nothing in it. */
  start(): Promise<void>
  /** At once, as when the machine fails. */
  kill(): Promise<void>
  /** One command, as somebody with access to it gives it. */
  command(...words: readonly string[]): Promise<unknown>
  /** All texts that are in it, one after the other. */
  contents(): Promise<string>
  /** It holds its connections and answers nothing. */
  freeze(): void
  thaw(): void
  /** For good. */
  remove(): Promise<void>
}

/** Undefined when there is none on this machine. */
export function findRedis(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']
  return folders.map((folder) => join(folder, 'redis-server')).find(isExecutable)
}

export async function startRedis(program: string): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'toolglot-redis-'))
  const port = await freePort()
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const quiet = ['--save', '', '--appendonly', 'no', '--daemonize', 'no', '--dir', folder]
    child = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', ...quiet])
    await untilReady(child)
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const isOver = once(child, 'exit')
    child.kill('SIGKILL')
    await isOver
  }

  async function command(...words: readonly string[]): Promise<unknown> {
    const client = createClient({ url: `redis://127.0.0.1:${port}` })
    await client.connect()
    try {
      return await client.sendCommand(words)
    } finally {
      client.destroy()
    }
  }

  async function contents(): Promise<string> {
    const keys: unknown = await command('KEYS', '*turn:*')
    if (!Array.isArray(keys)) throw new Error('KEYS gives a list')
    const texts: unknown = keys.length > 0 ? await command('MGET', ...keys.map(String)) : []
    return Array.isArray(texts) ? texts.join('\n') : ''
  }

  await start()
  return {
    command,
    contents,
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async remove() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('Ready to accept connections')) resolve()
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`redis-server ended:\n${said}`)))
  })
}
