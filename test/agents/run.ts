/** A run of an agent: a folder, a network with nothing but loopback, and what came of it. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { TestedAgent } from './catalogue.ts'
import type { Order } from './inside.ts'
import { nameOf, type Scenario } from './scenarios.ts'

export interface Programs {
  /** That of the agent. */
  readonly agent: string
  /** Node for the agent. */
  readonly node: string
  /** The built `toolglot`. */
  readonly command: string
}

/** A copy of the build, so that a clone that is worked in does not change what is tried. Gives its command. */
export function copyBuild(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'dist', 'cli', 'main.js')
}

/** How to get a network with nothing but loopback; undefined when this machine does not allow it. */
export function findNamespace(): readonly string[] | undefined {
  const ways = process.getuid?.() === 0 ? [['-n'], ['-rn']] : [['-rn']]
  // A process that is one's own is no process group's leader, so that all of them end together.
  const commands = ways.map((way) => ['unshare', ...way, '--fork', '--pid', '--kill-child'])
  return commands.find(([program = '', ...args]) => {
    return spawnSync(program, [...args, ...bringUp('true')], { stdio: 'ignore' }).status === 0
  })
}

export const NAMESPACE_ADVICE = `No network of its own can be made for an agent, and without one it could reach the Internet.
This takes Linux with "unshare" (util-linux) and "ip" (iproute2), and either root or unprivileged
user namespaces: sysctl kernel.unprivileged_userns_clone=1, and on Ubuntu
sysctl kernel.apparmor_restrict_unprivileged_userns=0. In a container: --privileged, or
--security-opt seccomp=unconfined.`

function bringUp(...command: readonly string[]): string[] {
  return ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...command]
}

export function folderOf(results: string, agent: TestedAgent, scenario: Scenario): string {
  return join(results, agent.id, nameOf(scenario).replaceAll(/[^\w.+-]+/g, '_'))
}

const INSIDE = fileURLToPath(new URL('inside.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Resolves when the agent has ended, or its time was up. The folder has everything about it. */
export function runOnce(
  agent: TestedAgent,
  scenario: Scenario,
  {
    folder,
    programs,
    namespace,
    limitSeconds,
  }: {
    readonly folder: string
    readonly programs: Programs
    readonly namespace: readonly string[]
    readonly limitSeconds: number
  },
): void {
  rmSync(folder, { recursive: true, force: true })
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(programs.agent, join(bin, agent.program[0]))
  const path = [bin, dirname(programs.node)]
  const { command } = programs
  const order: Order = { agent: agent.id, scenario, command, folder, path, limitSeconds }
  const file = join(folder, 'order.json')
  writeFileSync(file, JSON.stringify(order, null, 2))
  const [program = '', ...args] = namespace
  const inside = [process.execPath, '--import', 'tsx', INSIDE, file]
  const { stderr } = spawnSync(program, [...args, ...bringUp(...inside)], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (stderr) writeFileSync(join(folder, 'harness.txt'), stderr)
}
