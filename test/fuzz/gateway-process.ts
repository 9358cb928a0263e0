/** The gateway as a process of its own, which reports how long its event loop was blocked and what it holds. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ServerConfig } from '../../src/gateway/config/server-config.ts'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const WATCH = new URL('./watch-process.mjs', import.meta.url)

export interface Vitals {
  /** The longest time in milliseconds that the event loop was busy with one piece of work since the last report. */
  readonly blockedMs: number
  /** After a garbage collection. */
  readonly heapBytes: number
}

export interface GatewayProcess {
  readonly url: string
  vitals(): Promise<Vitals>
  /** What the process printed as errors. */
  errors(): string
  /** The exit code, when the process ended before it was asked to. */
  exit(): number | string | undefined
  /** Asks the process to stop; resolves to how long that took in milliseconds. */
  stop(): Promise<number>
}

export async function startGatewayProcess(config: ServerConfig): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'toolglot-fuzz-'))
  const file = join(folder, 'toolglot.config.json')
  writeFileSync(file, JSON.stringify({ ...config, port: 0, log: { level: 'silent' } }))
  const watch = ['--expose-gc', '--import', pathToFileURL(fileURLToPath(WATCH)).href]
  const child = spawn(process.execPath, [...watch, MAIN, 'serve', '--config', file], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env['PATH'] },
  })
  const printed: string[] = []
  child.stderr?.on('data', (text: Buffer) => printed.push(text.toString()))
  let exit: number | string | undefined
  const ended = new Promise<void>((resolve) => {
    child.on('exit', (code, signal) => {
      exit = code ?? signal ?? 'unknown'
      resolve()
    })
  })
  const url = await addressOf(child, printed)
  return {
    url,
    vitals: () => askVitals(child),
    errors: () => printed.join(''),
    exit: () => exit,
    async stop() {
      const start = performance.now()
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
      return performance.now() - start
    },
  }
}

function addressOf(child: ChildProcess, printed: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const look = (more: Buffer): void => {
      text += more.toString()
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
      if (found) resolve(found[0])
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.on('exit', () => reject(new Error(`the gateway did not start: ${printed.join('')}`)))
  })
}

function askVitals(child: ChildProcess): Promise<Vitals> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the gateway ended')))
    child.once('message', (vitals) => resolve(vitals as Vitals))
    child.send('vitals')
  })
}
