/**
 * One run, in a network of its own: `inside.ts <order.json>`. Starts the scripted server and the gateway, and then the
 * agent, as somebody does who uses `toolglot launch` or follows the documents.
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DOCUMENTED } from '../../scripts/agent-snippets.ts'
import { findAgent } from '../../src/cli/launch/registry.ts'
import { manualScript } from '../../src/cli/launch/script.ts'
import { type Occasion, TESTED, type TestedAgent } from './catalogue.ts'
import { PLANS } from './plans.ts'
import { type Scenario, VIA } from './scenarios.ts'
import { startUpstream } from './upstream.ts'

/** What the process outside wants. */
export interface Order {
  readonly agent: string
  readonly scenario: Scenario
  /** The built `toolglot`. */
  readonly command: string
  /** The folder of the run. */
  readonly folder: string
  /** Folders with programs, before those of the user. */
  readonly path: readonly string[]
  readonly limitSeconds: number
}

/** How the run ended. */
export interface Ending {
  /** Null: the time was up. */
  readonly code: number | null
  readonly seconds: number
}

interface Place {
  readonly command: string
  readonly folder: string
  readonly work: string
  readonly home: string
  readonly env: NodeJS.ProcessEnv
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MCP_SERVER = join(ROOT, 'test', 'agents', 'mcp-server.mjs')

const UPSTREAM_PORT = 5103
const SECOND_PORT = 5104
const LATE_MS = 5000

async function run({ scenario, limitSeconds, ...order }: Order): Promise<void> {
  const agent = TESTED.find(({ id }) => id === order.agent)
  if (!agent) throw new Error(`no agent ${order.agent}`)
  const plan = PLANS[scenario.plan]
  const place = placeOf(order, agent)
  const mcp = plan.needsMcp ? { command: process.execPath, args: [MCP_SERVER] } : undefined
  const occasion = { prompt: plan.prompt, mcp }
  layOut(place, agent.files?.(occasion) ?? {})
  const log = join(place.folder, 'upstream.jsonl')
  const upstream = { port: UPSTREAM_PORT, plan, work: place.work, log }
  const config = writeConfig(place.folder, scenario)
  const stops: (() => void)[] = []
  const begun = (async () => {
    if (scenario.late) await sleep(LATE_MS)
    const { close } = await startUpstream(upstream)
    stops.push(close)
  })()
  try {
    if (!scenario.late) await begun
    if (scenario.via) stops.push(await serve(writeSecondConfig(place.folder), SECOND_PORT, place))
    const command = scenario.byHand
      ? await followDocuments(agent, occasion, { config, place, stops })
      : launchCommand(agent, occasion, { config, place, scenario })
    const ending = await runAgent(command, place, limitSeconds)
    writeFileSync(join(place.folder, 'ending.json'), `${JSON.stringify(ending)}\n`)
    await begun
  } finally {
    for (const stop of stops) stop()
  }
}

function placeOf(
  { command, folder, path }: Pick<Order, 'command' | 'folder' | 'path'>,
  { env }: TestedAgent,
): Place {
  const [work, home] = [join(folder, 'work'), join(folder, 'home')]
  const all = [...path, process.env['PATH']].join(':')
  const own = { PATH: all, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb' }
  return { command, folder, work, home, env: { ...own, ...env } }
}

/** A small project, under version control because some agents insist on it, and a home folder. */
function layOut({ work, home }: Place, files: Readonly<Record<string, string>>): void {
  writeFiles(work, {
    'notes.txt': 'Notes of the project.\nThe code word is BLUEFERRY.\n',
    'src/main.js': 'export const answer = 41\n',
  })
  writeFiles(home, files)
  const identity = ['-c', 'user.email=user@example.com', '-c', 'user.name=user']
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...identity, 'commit', '-qm', 'begin'],
  ]) {
    spawnSync('git', args, { cwd: work, stdio: 'ignore' })
  }
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const whole = join(folder, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, text)
  }
}

// ── gateways ────────────────────────────────────────────────────────────────────────────────────

const LOCAL = { provider: 'openai-compatible', baseUrl: `http://127.0.0.1:${UPSTREAM_PORT}/v1` }

function modelOf({ model, via }: Scenario): string {
  return via ? `${via}/local/${model}` : `local/${model}`
}

function writeConfig(folder: string, scenario: Scenario): string {
  const { via } = scenario
  const second = via && {
    [via]: {
      provider: VIA[via].provider,
      baseUrl: `http://127.0.0.1:${SECOND_PORT}${VIA[via].path}`,
      apiKey: 'none',
    },
  }
  return writeJson(join(folder, 'toolglot.config.json'), {
    discover: false,
    log: { payloads: true },
    providers: { local: LOCAL, ...second },
    models: { [scenario.as ?? DOCUMENTED.model]: modelOf(scenario) },
  })
}

/** Finds no calls in text: that is for the first to do. */
function writeSecondConfig(folder: string): string {
  return writeJson(join(folder, 'second.config.json'), {
    discover: false,
    rescue: { enabled: false },
    providers: { local: LOCAL },
  })
}

function writeJson(path: string, value: unknown): string {
  writeFileSync(path, JSON.stringify(value, null, 2))
  return path
}

const START_MS = 20_000

/** Resolves to what stops it. */
async function serve(
  config: string,
  port: number,
  { command, folder, env }: Place,
): Promise<() => void> {
  const out = openSync(join(folder, `gateway-${port}.log`), 'a')
  const args = [command, 'serve', '--config', config, '--port', String(port)]
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', out, out] })
  closeSync(out)
  const until = Date.now() + START_MS
  while (!(await answers(`http://127.0.0.1:${port}/health`))) {
    if (Date.now() > until) throw new Error(`the gateway at port ${port} does not start`)
    await sleep(100)
  }
  return () => void child.kill()
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

// ── the agent ───────────────────────────────────────────────────────────────────────────────────

interface Start {
  readonly config: string
  readonly place: Place
  readonly scenario: Scenario
}

function launchCommand(
  { launch, headless }: TestedAgent,
  occasion: Occasion,
  { config, place, scenario }: Start,
): string[] {
  const log = join(place.folder, 'gateway.log')
  const model = scenario.as ?? modelOf(scenario)
  const options = ['--model', model, '--config', config, '--log-file', log]
  const own = [process.execPath, place.command, 'launch', launch, ...options]
  return [...own, '--', ...headless(occasion)]
}

/** Files and commands as they stand in the documents; only the arguments for a run without a terminal are added. */
async function followDocuments(
  agent: TestedAgent,
  occasion: Occasion,
  { config, place, stops }: Omit<Start, 'scenario'> & { readonly stops: (() => void)[] },
): Promise<string[]> {
  const { port } = new URL(DOCUMENTED.url)
  stops.push(await serve(config, Number(port), place))
  const manual = findAgent(agent.launch).manual(DOCUMENTED)
  const own = agent.files?.(occasion) ?? {}
  for (const { path, text } of manual.files ?? []) {
    const name = path.replace(/^~\//, '')
    writeFiles(place.home, { [name]: joined(own[name], text) })
  }
  const args = agent.headless(occasion).map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`)
  return ['sh', '-e', '-c', `${manualScript(manual)} ${args.join(' ')}`]
}

/** What the user has in the file already, and what the documents add. */
function joined(own: string | undefined, added: string): string {
  if (own === undefined) return added
  if (own.startsWith('{')) return JSON.stringify({ ...JSON.parse(own), ...JSON.parse(added) })
  // In TOML, what belongs to no table comes first.
  const [head = '', ...tables] = own.split(/^(?=\[)/m)
  const [addedHead = '', ...addedTables] = added.split(/^(?=\[)/m)
  return [head, addedHead, ...addedTables, ...tables].join('\n')
}

async function runAgent(
  [program = '', ...args]: readonly string[],
  { folder, work, env }: Place,
  limitSeconds: number,
): Promise<Ending> {
  const began = Date.now()
  const outputs = ['stdout.txt', 'stderr.txt'].map((name) => openSync(join(folder, name), 'w'))
  const child = spawn(program, args, { cwd: work, env, stdio: ['ignore', ...outputs] })
  for (const output of outputs) closeSync(output)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), 5000).unref()
  }, limitSeconds * 1000)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  clearTimeout(timer)
  return { code: isLate ? null : code, seconds: Math.round((Date.now() - began) / 1000) }
}

const [file = ''] = process.argv.slice(2)
await run(JSON.parse(readFileSync(file, 'utf8')) as Order) // written by run.ts
// Whatever an agent has left running ends with the network.
process.exit(0)
