/**
 * Programs that the tests use and npm does not have. Where this may install packages of the system, it
 * does; elsewhere it says how, and the tests that need them are skipped.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Each with the names it goes by, the first of them that of its Debian package. */
const PROGRAMS = [
  { what: 'a browser for the tests of the playground', names: ['chromium', 'google-chrome'] },
  { what: 'Redis for the tests of shared state', names: ['redis-server'] },
  { what: 'nginx for the tests of load balancers', names: ['nginx'] },
  { what: 'HAProxy for the tests of load balancers', names: ['haproxy'] },
]

export function installPrograms() {
  const missing = PROGRAMS.filter(({ names }) => !names.some(isInstalled))
  if (missing.length === 0) return
  const packages = missing.map(({ names }) => names[0])
  const isRoot = process.getuid?.() === 0
  if (isRoot && isInstalled('apt-get')) {
    console.error(`Installing ${packages.join(' and ')} …`)
    apt('update', '-qq')
    apt('install', '-y', '-qq', '--no-install-recommends', ...packages)
  }
  for (const { what, names } of missing) {
    if (names.some(isInstalled)) continue
    console.error(`Missing: ${what}. On Debian: apt-get install ${names[0]}`)
  }
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

function isInstalled(name) {
  // Servers are where only the administrator looks for programs.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.some((folder) => existsSync(join(folder, name)))
}
