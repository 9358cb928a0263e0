/** Agents in a folder of their own, with the version that was asked for. Nothing of them runs while they are installed. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { TestedAgent } from './catalogue.ts'

export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const own = env['TOOLGLOT_AGENTS_CACHE']
  if (own) return own
  const base =
    process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Caches')
      : env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(base, 'toolglot', 'agents')
}

export type Installed = { readonly program: string } | { readonly problem: string }

/** The program of the agent; installed first, where it is not. */
export function installAgent(cache: string, agent: TestedAgent): Installed {
  const [name, path] = agent.program
  return installPackages(cache, agent.packages, join('node_modules', path), name)
}

/** Most agents need Node 22 and newer. */
const NODE_MAJOR = 22

/** A Node for the agents, which may be newer than ours. */
export function installNode(cache: string): Installed {
  const { node } = process.versions
  if (Number(node.split('.')[0]) >= NODE_MAJOR) return { program: process.execPath }
  const name = `node-${process.platform}-${process.arch}`
  const path = join('node_modules', name, 'bin', 'node')
  return installPackages(cache, [`${name}@${NODE_MAJOR}`], path, 'node')
}

const PATIENCE_MS = 600_000

function installPackages(
  cache: string,
  packages: readonly string[],
  path: string,
  name: string,
): Installed {
  const folder = join(cache, 'inst', (packages[0] ?? name).replaceAll('/', '+'))
  const program = join(folder, path)
  if (existsSync(program)) return { program }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "agent", "private": true }\n')
  console.error(`Installing ${packages.join(' ')} …`)
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, stderr, error } = spawnSync('npm', [...args, ...packages], {
    cwd: folder,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  if (existsSync(program)) return { program }
  const [reason = ''] = (stderr ?? '').split('\n').filter((line) => /error/i.test(line))
  return {
    problem: error?.message ?? (reason || `npm ended with ${status}, without ${dirname(path)}`),
  }
}
