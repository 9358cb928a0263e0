/**
 * What does a gateway cost? Ours, the least that passes requests on, and a peer, in turns with the same
 * load, each in a process of its own on a core of its own; clients and provider share the other. The chunks
 * of a stream come as fast as the connection takes them, unless they are said to come every so often.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { LoadResult, LoadTask, Percentiles } from './gateway-load.ts'
import { type Pace, paceName } from './gateway-pace.ts'
import { installPeer } from './gateway-peer.ts'
import type { Effort } from './harness.ts'
import { QUICK } from './harness.ts'
import type { Bar, Cell, Report, Table } from './report.ts'
import { bundle } from './subject.ts'

interface Contestant {
  readonly name: string
  readonly port: number
  readonly process: ChildProcess
  readonly headers: Readonly<Record<string, string>>
  /** The name of a model as this gateway wants it. */
  model(name: string): string
}

interface Load {
  readonly name: string
  readonly pace: Pace
  readonly streamed: boolean
  readonly tools: boolean
  readonly requests: number
  readonly warmUp: number
  readonly concurrency: number
  /** What a reply has in it, when it is mended and when it is not. */
  readonly expects: readonly [mended: string, plain: string]
}

interface Round extends LoadResult {
  /** Seconds of processor time. */
  readonly cpu: number
  /** Megabytes at its end. */
  readonly memory: number
}

interface Measured extends LoadResult {
  readonly perSecond: number
  /** Microseconds of processor time for each request. */
  readonly cpu: number
  /** Megabytes when half of the load was done, and at its end. */
  readonly memory: readonly [half: number, end: number]
}

const ROUNDS = 4

const STREAM = { leaks: false, everyMs: 0, chunks: 200 } as const
const WHOLE = { leaks: true, everyMs: 0, chunks: 24 } as const

function loadsFor(quick: boolean): readonly Load[] {
  const share = quick ? 0.1 : 1
  const streams = {
    streamed: true,
    tools: true,
    requests: 10_000 * share,
    warmUp: 3000 * share,
    concurrency: 200,
  } as const
  const ends = ['[DONE]', '[DONE]'] as const
  const whole = {
    streamed: false,
    tools: true,
    requests: 20_000 * share,
    warmUp: 20_000 * share,
    concurrency: 64,
    expects: ['choices', 'choices'],
  } as const
  return [
    { name: 'streams, nothing to rescue', ...streams, pace: STREAM, expects: ends },
    {
      name: 'streams, a call to rescue in each',
      ...streams,
      pace: { ...STREAM, leaks: true },
      expects: ['"tool_calls"', ends[1]],
    },
    {
      name: 'streams, a chunk every 10 ms',
      ...streams,
      pace: { ...STREAM, everyMs: 10 },
      requests: 800 * share,
      warmUp: 50,
      concurrency: 50,
      expects: ends,
    },
    {
      name: 'whole replies with a call to rescue',
      ...whole,
      pace: WHOLE,
      expects: ['"tool_calls"', 'choices'],
    },
    { name: 'whole replies, nothing to rescue', ...whole, pace: { ...WHOLE, leaks: false } },
    {
      name: 'whole replies over one connection',
      ...whole,
      pace: { ...WHOLE, leaks: false },
      requests: 4000 * share,
      warmUp: 1000,
      concurrency: 1,
    },
  ]
}

export async function gateways(effort: Effort): Promise<Report> {
  const upstreamFile = await bundle('./gateway-upstream.ts')
  const loadFile = await bundle('./gateway-load.ts')
  const subjectFile = await bundle('./gateway-subject.ts')
  const upstream = await start(upstreamFile.file, [], OTHERS)
  const loader = await start(loadFile.file, [], OTHERS)
  const contestants: Contestant[] = []
  try {
    for (const kind of ['bare', 'toolglot']) {
      const { port, process } = await start(subjectFile.file, [kind, String(upstream.port)], OWN)
      const model = kind === 'bare' ? plainName : (name: string) => `bench/${name}`
      contestants.push({ name: kind, port, process, headers: {}, model })
    }
    const peer = await startPeer(upstream.port)
    if (peer) contestants.push(peer)
    return await compare(contestants, loader.process, effort === QUICK)
  } finally {
    for (const { process } of [upstream, loader, ...contestants]) process.kill('SIGKILL')
    await Promise.all([upstreamFile.remove(), loadFile.remove(), subjectFile.remove()])
  }
}

const plainName = (name: string): string => name

async function compare(
  contestants: readonly Contestant[],
  loader: ChildProcess,
  quick: boolean,
): Promise<Report> {
  const tables: Table[] = []
  const results = new Map<string, Map<string, Measured>>()
  for (const load of loadsFor(quick)) {
    const measured = await measure(contestants, load, loader)
    results.set(load.name, measured)
    tables.push(tableOf(load, measured))
  }
  return { tables, bars: barsOf(results) }
}

/** In turns, so that what slows the machine down for a while slows all of them down. */
async function measure(
  contestants: readonly Contestant[],
  load: Load,
  loader: ChildProcess,
): Promise<Map<string, Measured>> {
  const rounds = new Map<string, Round[]>(contestants.map(({ name }) => [name, []]))
  // So that nobody pays for warming up, which takes programs of this size thousands of requests.
  for (const one of contestants) await ask(loader, taskFor(one, load, load.warmUp))
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of contestants) {
      const before = cpuSeconds(one)
      const result = await ask(loader, taskFor(one, load, load.requests / ROUNDS))
      const cpu = cpuSeconds(one) - before
      rounds.get(one.name)?.push({ ...result, cpu, memory: megabytes(one) })
    }
  }
  return new Map([...rounds].map(([name, all]) => [name, summary(all, load)]))
}

function summary(rounds: readonly Round[], { requests }: Load): Measured {
  const sum = (of: (round: Round) => number): number =>
    rounds.reduce((total, round) => total + of(round), 0)
  const at = (share: number): number => rounds[Math.floor((ROUNDS - 1) * share)]?.memory ?? 0
  return {
    seconds: sum(({ seconds }) => seconds),
    errors: sum(({ errors }) => errors),
    firstError: rounds.find(({ firstError }) => firstError)?.firstError,
    perSecond: requests / sum(({ seconds }) => seconds),
    cpu: (sum(({ cpu }) => cpu) / requests) * 1e6,
    delays: mediansOf(rounds.map(({ delays }) => delays)),
    latencies: mediansOf(rounds.map(({ latencies }) => latencies)),
    memory: [at(0.5), at(1)],
  }
}

function mediansOf(rounds: readonly Percentiles[]): Percentiles {
  return { p50: median(rounds.map(({ p50 }) => p50)), p99: median(rounds.map(({ p99 }) => p99)) }
}

/** One round in which the machine was busy with something else does not count. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}

function taskFor(one: Contestant, load: Load, requests: number): LoadTask {
  const { pace, streamed, tools, concurrency, expects } = load
  return {
    port: one.port,
    path: '/v1/chat/completions',
    headers: one.headers,
    model: one.model(paceName(pace)),
    streamed,
    tools,
    requests,
    concurrency,
    expects: expects[one.name === 'toolglot' ? 0 : 1],
  }
}

function ask(loader: ChildProcess, task: LoadTask): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const died = (): void => reject(new Error('the load ended before its time'))
    loader.once('exit', died)
    loader.once('message', (result) => {
      loader.off('exit', died)
      resolve(result as LoadResult) // our own process
    })
    loader.send(task)
  })
}

// ── processes ───────────────────────────────────────────────────────────────────────────────────

const OWN = '0'
const OTHERS = '1'
const TASKSET = '/usr/bin/taskset'

interface Started {
  readonly process: ChildProcess
  readonly port: number
}

function start(file: string, args: readonly string[], core: string): Promise<Started> {
  const child = fork(file, [...args], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  pin(child, core)
  return new Promise((resolve, reject) => {
    child.once('message', (message) =>
      resolve({ process: child, ...(message as { port: number }) }),
    )
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)))
  })
}

function pin({ pid }: ChildProcess, core: string): void {
  if (existsSync(TASKSET))
    spawn(TASKSET, ['-a', '-p', '-c', core, String(pid)], { stdio: 'ignore' })
}

/** The peer as it is published; undefined when it does not start here. */
async function startPeer(upstreamPort: number): Promise<Contestant | undefined> {
  const file = await installPeer()
  if (!file) return undefined
  const port = await freePort()
  const child = spawn(process.execPath, [file, `--port=${port}`, '--headless'], { stdio: 'ignore' })
  pin(child, OWN)
  const headers = {
    authorization: 'Bearer sk-bench',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://localhost:${upstreamPort}/v1`,
  }
  for (let tries = 0; tries < 100; tries++) {
    if (await answers(port))
      return { name: 'portkey', port, process: child, headers, model: plainName }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill('SIGKILL')
  return undefined
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    (response) => response.ok,
    () => false,
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo // it listens on TCP
      server.close(() => resolve(port))
    })
  })
}

const TICKS = 100

/** Processor time of a process, of the user and for the user. */
function cpuSeconds({ process: { pid } }: Contestant): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

function megabytes({ process: { pid } }: Contestant): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

// ── the report ──────────────────────────────────────────────────────────────────────────────────

const HEAD = [
  ...['gateway', 'a second', 'CPU a request', 'chunk delay', 'p99 of it', 'p99 of a request'],
  ...['MB half → end', 'errors'],
]

function tableOf(
  { name, requests, concurrency }: Load,
  measured: ReadonlyMap<string, Measured>,
): Table {
  const bare = measured.get('bare')
  const rows = [...measured].map(([who, one]): Cell[] => [
    who,
    { here: one.perSecond.toFixed(0), anywhere: times(one.perSecond, bare?.perSecond) },
    { here: `${one.cpu.toFixed(0)} µs`, anywhere: times(one.cpu, bare?.cpu) },
    { here: `${one.delays.p50.toFixed(2)} ms`, anywhere: times(one.delays.p50, bare?.delays.p50) },
    { here: `${one.delays.p99.toFixed(2)} ms` },
    { here: `${one.latencies.p99.toFixed(2)} ms` },
    one.memory.map((size) => size.toFixed(0)).join(' → '),
    one.errors === 0 ? '0' : `${one.errors}: ${one.firstError?.slice(0, 80)}`,
  ])
  return {
    title: `${name}: ${requests} requests, ${concurrency} at a time`,
    head: HEAD,
    rows,
  }
}

function times(value: number, bare: number | undefined): string {
  return bare ? `${(value / bare).toFixed(2)}×` : '–'
}

function barsOf(results: ReadonlyMap<string, ReadonlyMap<string, Measured>>): Bar[] {
  const [plain, leaks, paced, rescued, whole, alone] = [...results.values()]
  const own = [...results.values()].flatMap((one) => one.get('toolglot') ?? [])
  const cpu = (one?: ReadonlyMap<string, Measured>): number =>
    (one?.get('toolglot')?.cpu ?? NaN) / (one?.get('bare')?.cpu ?? NaN)
  const rate = (one?: ReadonlyMap<string, Measured>): number =>
    (one?.get('toolglot')?.perSecond ?? NaN) / (one?.get('portkey')?.perSecond ?? NaN)
  const delay =
    (paced?.get('toolglot')?.delays.p50 ?? NaN) / (paced?.get('bare')?.delays.p50 ?? NaN)
  const added =
    (alone?.get('toolglot')?.latencies.p99 ?? NaN) - (alone?.get('bare')?.latencies.p99 ?? NaN)
  const growth = Math.max(...own.map(({ memory: [half, end] }) => end / half))
  return [
    bar(
      'errors under load',
      own.reduce((sum, { errors }) => sum + errors, 0),
      0,
    ),
    bar('memory, end against half', growth, 1.15),
    bar('CPU against the bare proxy, streams, nothing rescued', cpu(plain), 1.3),
    bar('CPU against the bare proxy, streams, all rescued', cpu(leaks), 2),
    bar('CPU against the bare proxy, whole, nothing rescued', cpu(whole), 2),
    bar('CPU against the bare proxy, whole, all rescued', cpu(rescued), 3),
    bar('p99 of the milliseconds added over one connection', added, 3),
    bar('chunk delay against the bare proxy', delay, 2),
    { ...bar('requests a second against Portkey, whole', rate(whole), 5), kind: 'min' },
    { ...bar('requests a second against Portkey, streams', rate(plain), 5), kind: 'min' },
  ]
}

function bar(name: string, value: number, limit: number): Bar {
  return { name: `gateway: ${name}`, value, limit, kind: 'max' }
}
