/** nginx and HAProxy with the configurations of `deploy/`, before gateways on this machine. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export type BalancerName = 'nginx' | 'haproxy'

export interface Balancer {
  /** Without a slash at the end. */
  readonly url: string
  stop(): Promise<void>
}

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url))

/** Servers are where only the administrator looks for programs. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }

export function isInstalled(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { env }).status === 0
}

export function hasBalancer(name: BalancerName): boolean {
  return isInstalled(name, '-v')
}

/** `place` is a folder that need not be there yet; `hosts` are two, each with its port. */
export async function startBalancer(
  name: BalancerName,
  hosts: readonly string[],
  place: string,
): Promise<Balancer> {
  mkdirSync(place, { recursive: true })
  const port = await freePort()
  const child = name === 'nginx' ? nginx(hosts, port, place) : haproxy(hosts, port, place)
  const url = `http://127.0.0.1:${port}`
  await answering(url)
  return {
    url,
    async stop() {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    },
  }
}

function nginx([one = '', other = '']: readonly string[], port: number, place: string) {
  const config = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')
    .replace('gateway-1:4141', one)
    .replace('gateway-2:4141', other)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('http {', `http {\naccess_log off;\n${temporaryFolders(place)}`)
  const file = join(place, 'nginx.conf')
  writeFileSync(file, config)
  const own = `daemon off; pid ${place}/pid; error_log ${place}/error.log;`
  const args = ['-p', place, '-e', `${place}/error.log`, '-c', file, '-g', own]
  execFileSync('nginx', ['-t', '-q', ...args], { env })
  return spawn('nginx', args, { stdio: 'ignore', env })
}

/** The ones that nginx was built with belong to somebody else. */
function temporaryFolders(place: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return kinds.map((kind) => `${kind}_temp_path ${place}/${kind};`).join('\n')
}

function haproxy(
  [one = '', other = '']: readonly string[],
  port: number,
  place: string,
): ChildProcess {
  const config = readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8')
    .replace('gateway-1:4141', one)
    .replace('gateway-2:4141', other)
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
  const file = join(place, 'haproxy.cfg')
  writeFileSync(file, config)
  execFileSync('haproxy', ['-c', '-q', '-f', file], { env })
  return spawn('haproxy', ['-db', '-q', '-f', file], { stdio: 'ignore', env })
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const isThere = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isThere) return
    await setTimeout(50)
  }
  throw new Error(`nobody answers at ${url}`)
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on a port')
  server.close()
  await once(server, 'close')
  return address.port
}
